"""Every published and constructed vector gives its stated outcome (wire.md section 1, "Vector kinds")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

Row = dict[str, Any]

COUNTS = {
    "layout": 450,
    "packet": 89,
    "body": 52,
    "semantic": 40,
    "typed_region": 23,
    "reference_region": 18,
    "flow_routing": 17,
}


def each(*kinds: str, ok: bool | None = None, fields: bool = False) -> pytest.MarkDecorator:
    rows = [row for row in data.vectors(*kinds, ok=ok) if not fields or "fields" in row]
    return pytest.mark.parametrize("row", rows, ids=data.ids(rows))


def outcome(call: Callable[[], object]) -> str:
    """`ok`, or the error class a call ends with. Any other exception is a failure of the test."""
    try:
        call()
    except WireError as error:
        return error.error_class
    return "ok"


def stated(fields: Row) -> Row:
    """Vector fields as Python values: JSON cannot say that a magic is bytes."""
    return {name: value.encode() if isinstance(value, str) else value for name, value in fields.items()}


def rebuilt(packet: wire.Packet, metadata: object) -> bytes:
    return wire.build_packet(
        packet.message_type,
        metadata,
        packet.body,
        session_id=packet.session_id,
        frame_id=packet.frame_id,
        flags=packet.flags,
        view_id=packet.view_id,
        route_id=packet.route_id,
        trace_id=packet.trace_id,
    )


def test_no_vector_is_missing() -> None:
    assert dict(Counter(row["kind"] for row in data.vectors())) == COUNTS
    assert len({row["id"] for row in data.vectors()}) == sum(COUNTS.values()) == 689


def test_every_vector_says_where_it_comes_from() -> None:
    origins = Counter(row["origin"] for row in data.vectors())
    assert origins == {"constructed": 629, "public_suite": 29, "reference_tests": 21, "deployed_capture": 10}


def test_every_layout_and_every_message_has_an_accepted_vector() -> None:
    assert {row["layout"] for row in data.vectors("layout", ok=True)} == set(wire.VIEWS)
    types = {bytes.fromhex(row["hex"])[6] for row in data.vectors("packet", ok=True)}
    assert types == {int(member) for member in wire.MessageType}


@each("layout", ok=True)
def test_layout_accepted(row: Row) -> None:
    view_class, source = wire.VIEWS[row["layout"]], bytes.fromhex(row["hex"])
    view = view_class.parse(source)
    content = source[: view_class.size]
    assert bytes(view) == content
    assert view.as_dict() == raw.read(row["layout"], content)
    for name, value in stated(row.get("fields", {})).items():
        assert getattr(view, name) == value
    assert bytes(view_class.build(**view.as_dict())) == content
    assert bytes(view.replace()) == content


@each("layout", ok=False)
def test_layout_refused(row: Row) -> None:
    source = bytes.fromhex(row["hex"])
    assert outcome(lambda: wire.VIEWS[row["layout"]].parse(source)) == row["expect"]
    # The same bytes in memory that somebody else may change take another way in and meet the same rule.
    assert outcome(lambda: wire.VIEWS[row["layout"]].parse(bytearray(source))) == row["expect"]


@each("layout", ok=False, fields=True)
def test_builder_refuses_what_the_decoder_refuses(row: Row) -> None:
    """wire.md section 1: an encoder applies the same field checks and reports the same class."""
    view_class, fields = wire.VIEWS[row["layout"]], stated(row["fields"])
    assert outcome(lambda: view_class.build(**fields)) == row["expect"]
    target = bytearray(b"\xee" * view_class.size)
    assert outcome(lambda: view_class.build_into(target, 0, **fields)) == row["expect"]
    assert target == b"\xee" * view_class.size, "a refused build leaves the destination alone"


def test_enough_negative_vectors_carry_fields() -> None:
    assert len([row for row in data.vectors("layout", ok=False) if "fields" in row]) == 150


@each("layout", ok=True, fields=True)
def test_builder_accepts_what_the_decoder_accepts(row: Row) -> None:
    view_class = wire.VIEWS[row["layout"]]
    content = bytes.fromhex(row["hex"])[: view_class.size]
    assert bytes(view_class.build(**stated(row["fields"]))) == content
    target = bytearray(view_class.size + 5)
    assert view_class.build_into(target, 3, **stated(row["fields"])) == 3 + view_class.size
    assert bytes(target) == bytes(3) + content + bytes(2)


@each("layout", ok=True)
def test_replace_reaches_every_field(row: Row) -> None:
    """From the plainest accepted value of the layout to this one, all fields at once."""
    view_class = wire.VIEWS[row["layout"]]
    plain = view_class.parse(data.layout_seeds()[row["layout"]][0])
    content = bytes.fromhex(row["hex"])[: view_class.size]
    assert bytes(plain.replace(**raw.read(row["layout"], content))) == content


@each("packet", "flow_routing", ok=True)
def test_packet_accepted(row: Row) -> None:
    source = bytes.fromhex(row["hex"])
    packet = wire.parse_packet(source)
    if "header" in row:
        assert packet.header.as_dict() == stated(row["header"])
    if "fields" in row:
        assert packet.metadata is not None
        assert packet.metadata.as_dict() == stated(row["fields"])
    if "body_hex" in row:
        assert bytes(packet.body) == bytes.fromhex(row["body_hex"])
    if row.get("metadata_layout"):
        assert packet.metadata.layout_name == row["metadata_layout"]
    assert packet.to_bytes() == source
    assert rebuilt(packet, packet.metadata) == source
    assert rebuilt(packet, bytes(packet.metadata_bytes)) == source


@each("packet", ok=False)
def test_packet_refused(row: Row) -> None:
    source = bytes.fromhex(row["hex"])
    assert outcome(lambda: wire.parse_packet(source)) == row["expect"]
    assert outcome(lambda: wire.parse_packet(bytearray(source))) == row["expect"]


@each("flow_routing")
def test_flow_routing(row: Row) -> None:
    """Message stage of FLOW_UPDATE: metadata against its header (wire.md 5.14)."""
    packet = wire.parse_packet(bytes.fromhex(row["hex"]))
    assert outcome(lambda: wire.check_message(packet)) == row["expect"]


@each("semantic")
def test_semantic(row: Row) -> None:
    """Layout stage, then message stage, of one message built around the metadata."""

    def checked() -> None:
        view = wire.VIEWS[row["layout"]].parse(bytes.fromhex(row["hex"]))
        packet = wire.parse_packet(wire.build_packet(row["message_type"], view, session_id=1, frame_id=1))
        if "fields" in row:
            assert packet.metadata.as_dict() == stated(row["fields"])
        wire.check_message(packet)

    assert outcome(checked) == row["expect"]


@each("typed_region")
def test_typed_region(row: Row) -> None:
    """Descriptor region against frame region, in the order of wire.md 6.4.5."""
    descriptors, frames = bytes.fromhex(row["hex"]), bytes.fromhex(row["payload_hex"])
    arguments = (descriptors, frames, row["payload_kind_bitmap"], row["payload_frame_count"])
    assert outcome(lambda: wire.typed_region(*arguments)) == row["expect"]
    if row["expect"] == "ok":
        expected = []
        for at in range(0, len(descriptors), 24):
            fields = raw.read("typed_payload_descriptor", descriptors[at : at + 24])
            expected.append((fields, frames[fields["offset"] : fields["offset"] + fields["length"]]))
        found = [(descriptor.as_dict(), bytes(payload)) for descriptor, payload in wire.typed_region(*arguments)]
        assert found == expected


@each("reference_region")
def test_reference_region(row: Row) -> None:
    """Reference blocks against submit_mode and object_ref_mask, in the order of wire.md 6.4.4."""
    region = bytes.fromhex(row["hex"])
    arguments = (region, row["submit_mode"], row["object_ref_mask"])
    assert outcome(lambda: wire.reference_region(*arguments)) == row["expect"]
    if row["expect"] == "ok":
        assert b"".join(bytes(block) for block in wire.reference_region(*arguments)) == region


@each("body")
def test_body(row: Row) -> None:
    """A whole body cut into its regions (wire.md 6.4)."""
    packet = wire.parse_packet(bytes.fromhex(row["hex"]))
    cut = {"frame_submit": wire.frame_submit_body, "result_push": wire.result_push_body}[row["metadata_layout"]]
    assert outcome(lambda: cut(packet)) == row["expect"]
    assert outcome(lambda: wire.check_body(packet)) == row["expect"], "both ways in meet the same rules"
    if row["expect"] != "ok":
        return
    body, regions = cut(packet), row["regions"]
    assert [[block.object_kind, len(payload)] for block, payload in body.objects] == regions.get("objects", [])
    assert [block.object_kind for block in body.references] == regions.get("references", [])
    typed = [[one.payload_kind, one.offset, len(payload)] for one, payload in body.typed_payloads]
    assert typed == regions.get("typed", [])
    assert [one.length for one, _ in body.typed_payloads] == [length for _, _, length in regions.get("typed", [])]
    assert list(body.tile_ids or ()) == regions.get("tile_ids", [])
    sections = [[one.descriptor.role_id, list(one.codec_ids), list(one.lengths)] for one in body.sections]
    assert sections == regions.get("sections", [])
    for one in body.sections:
        assert [len(payload) for payload in one.payloads] == list(one.lengths)


def test_every_layout_check_is_broken_by_some_vector() -> None:
    """No check of the table passes for tested because nothing ever breaks it."""
    broken = set()
    for row in data.vectors("layout", ok=False):
        with pytest.raises(WireError) as caught:
            wire.VIEWS[row["layout"]].parse(bytes.fromhex(row["hex"]))
        assert caught.value.layout == row["layout"]
        assert caught.value.stage is wire.Stage.LAYOUT
        broken.add((row["layout"], caught.value.rule))
    table = data.table()["layouts"]
    checks = {(name, check["check"]) for name in table for check in table[name]["checks"] if check["stage"] == "layout"}
    assert broken == checks


def test_layout_errors_stop_at_the_layout_stage() -> None:
    """`layout` vectors say nothing about messages: a view builds what a message rule would refuse (section 1)."""
    empty = wire.PartialResult.build()
    packet = wire.parse_packet(wire.build_packet(wire.MessageType.PARTIAL_RESULT, empty))
    assert packet.metadata.operation_id == 0
    assert outcome(lambda: wire.check_message(packet)) == "invalid_protocol_combination"


def test_recovery_ticket_vectors_all_carry_their_own_class() -> None:
    rows = [row for row in data.vectors("layout", ok=False) if row["layout"] == "recovery_ticket_prefix"]
    assert {row["expect"] for row in rows} == {"invalid_recovery_ticket"}
    assert len(rows) == 10
