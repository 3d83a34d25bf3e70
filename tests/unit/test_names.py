"""What the package offers, by name."""

from __future__ import annotations

import types

import pytest

import nnrp_wire
from nnrp_wire import errors, wire

CALLS = [
    "build_message", "build_message_buffers", "build_message_into",
    "build_frame_submit", "build_frame_submit_buffers", "build_frame_submit_into",
    "build_result_push", "build_result_push_buffers", "build_result_push_into",
    "build_partial_result", "build_partial_result_buffers", "build_partial_result_into",
    "build_packet", "build_packet_buffers", "build_packet_into", "build_recovery_ticket",
    "capability_entries", "check_body", "check_message", "check_pair", "columns", "columns_at", "control_extensions",
    "dtype", "frame_submit_body", "is_utf8", "iter_packets", "message_tails", "metadata_columns", "parse_header",
    "parse_packet", "parse_recovery_ticket", "patch_header", "payload_kind_bitmap", "payload_kinds", "reference_region",
    "result_push_body", "scan", "section_array", "tile_arrays", "tile_id_array",
    "tile_index_decode", "tile_index_encode", "typed_region",
]  # fmt: skip
TYPES = ["LayoutView", "Packet", "PacketReader", "ResultSlot", "Stage", "TypedPayload"]


def place(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order the linter keeps."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


@pytest.mark.parametrize("module", [nnrp_wire, wire, errors], ids=lambda module: module.__name__)
def test_all_names_exist_once(module):
    assert len(module.__all__) == len(set(module.__all__))
    for name in module.__all__:
        assert hasattr(module, name)


@pytest.mark.parametrize("module", [nnrp_wire, errors], ids=lambda module: module.__name__)
def test_all_is_sorted(module):
    assert list(module.__all__) == sorted(module.__all__, key=place)


@pytest.mark.parametrize("module", [wire, errors], ids=lambda module: module.__name__)
def test_all_is_everything_public(module):
    public = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType) and name != "annotations"
    }
    foreign = {name for name in public if getattr(getattr(module, name), "__module__", "") in {"typing", "enum"}}
    assert public - foreign <= set(module.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_call_exists_and_says_what_it_does(name):
    call = getattr(wire, name)
    assert callable(call)
    assert call.__doc__
    assert name in wire.__all__


@pytest.mark.parametrize("name", TYPES)
def test_type_exists_and_says_what_it_is(name):
    kind = getattr(wire, name)
    assert isinstance(kind, type)
    assert kind.__doc__
    assert name in wire.__all__


@pytest.mark.parametrize(
    "name", ["Packet", "PacketReader", "ResultSlot", "build_packet", "iter_packets", "parse_header", "parse_packet"]
)
def test_daily_names_stand_at_the_top(name):
    assert getattr(nnrp_wire, name) is getattr(wire, name)
    assert name in nnrp_wire.__all__


def test_version_is_a_string():
    assert isinstance(nnrp_wire.__version__, str)
    assert nnrp_wire.__version__[0].isdigit()
