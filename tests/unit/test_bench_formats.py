"""protobuf, msgpack and flatbuffers are measured with the same message, all of it, in their quick implementations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from nnrp_wire import wire
from nnrp_wire.bench import codec, footprint, formats, workload
from nnrp_wire.bench import rivals as rivals_module
from nnrp_wire.bench.rivals import PEERS, RIVAL_DISTRIBUTIONS, RIVAL_MODULES, Rivals, load_rivals
from nnrp_wire.bench.runner import OURS, Settings

HERE = load_rivals()
CASES = {case.name: case for case in codec.CASES}
SUBMIT_CASES = [name for name in CASES if name.startswith("frame_submit_1k_")]


@pytest.fixture(params=formats.FORMATS)
def form(request: pytest.FixtureRequest) -> formats.Format:
    if request.param not in HERE.modules:
        pytest.skip(f"{request.param}: {HERE.missing[request.param]}")
    (found,) = (found for found in formats.installed(HERE) if found.name == request.param)
    return found


class TestMessage:
    def test_it_has_every_field_of_the_packet_that_means_something(self) -> None:
        """Counted against the package's own view of the layouts."""
        names = [
            field.name
            for view in (wire.CommonHeader, wire.FrameSubmit, wire.TypedPayloadDescriptor)
            for field in view.fields
            if not field.reserved
        ]
        assert [name for name in names if name not in formats.FRAMING] == list(formats.FIELDS)
        sizes = {
            field.name: field.size
            for view in (wire.CommonHeader, wire.FrameSubmit, wire.TypedPayloadDescriptor)
            for field in view.fields
        }
        assert all(sizes[name] == size for name, size in formats.FIELDS.items())

    def test_its_values_are_those_of_the_packet(self) -> None:
        packet = wire.parse_packet(workload.SUBMIT.packet)
        assert isinstance(packet.metadata, wire.FrameSubmit)
        ((descriptor, payload),) = wire.frame_submit_body(packet).typed_payloads
        found = {**packet.header.as_dict(), **packet.metadata.as_dict(), **descriptor.as_dict()}
        assert {name: found[name] for name in formats.FIELDS} == formats.VALUES
        assert payload == formats.SAMPLE.payload

    def test_sizes_of_a_record(self) -> None:
        assert workload.Record("4s2BQ", ("a", "b", "c", "d")).sizes == (4, 1, 1, 8)
        assert sum(workload.FRAME_SUBMIT.sizes) == 72


def built(form: formats.Format, **names: object) -> bytes:
    contender = form.builder("")
    changed = replace(contender, names={**contender.names, **names}, observe=lambda seen: bytes(seen["packet"]))
    outcome: Any = changed.outcome()
    return bytes(outcome)


class TestFormats:
    def test_what_is_built_reads_back_whole(self, form: formats.Format) -> None:
        data = form.example()
        assert form.message(data) == formats.MESSAGE
        assert len(data) > len(formats.SAMPLE.payload)

    def test_a_changed_value_is_noticed(self, form: formats.Format) -> None:
        assert form.builder(expected="the case's").outcome() == "the case's"
        found: Any = form.message(built(form, session_id=99))
        assert found["fields"] == {**formats.VALUES, "session_id": 99}

    def test_each_build_is_of_its_own(self, form: formats.Format) -> None:
        """Messages and builders that are kept between packets must not leave anything of the last one behind."""
        first = built(form)
        assert form.message(built(form, content=b"short"))["payload"] == b"short"
        assert built(form) == first

    def test_another_message_does_not_pass_for_the_equal_one(
        self, form: formats.Format, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Contenders then come to what they have read, which no case expects."""
        monkeypatch.setattr(formats, "MESSAGE", {**formats.MESSAGE, "payload": b"another"})
        for contender in (form.parser("the case's"), form.builder("the case's"), form.reader()):
            outcome: Any = contender.outcome()
            assert outcome == {"fields": formats.VALUES, "payload": formats.SAMPLE.payload}

    @pytest.mark.parametrize("name", SUBMIT_CASES)
    def test_they_take_part(self, form: formats.Format, name: str) -> None:
        rivals = Rivals(modules={form.name: HERE.modules[form.name]})
        names = [contender.name for contender in CASES[name].checked_contenders(rivals)]
        assert names == [OURS, "struct", form.name]


class TestObjections:
    def test_only_upb_is_protobuf(self) -> None:
        for kind in ("upb", "python"):
            module: Any = SimpleNamespace(Type=lambda kind=kind: kind)
            modules: Mapping[str, ModuleType] = {"google.protobuf.internal.api_implementation": module}
            assert (rivals_module.slow_protobuf(modules) is None) == (kind == "upb")

    def test_only_the_compiled_msgpack(self) -> None:
        for place in ("msgpack._cmsgpack", "msgpack.fallback"):
            module: Any = SimpleNamespace(Packer=type("Packer", (), {"__module__": place}))
            assert (rivals_module.slow_msgpack({"msgpack": module}) is None) == (place == "msgpack._cmsgpack")

    def test_an_objection_makes_a_rival_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rivals_module, "OBJECTIONS", {"slow": lambda _: "too slow", "quick": lambda _: None})
        found = load_rivals({"slow": ("json",), "quick": ("json",)})
        assert found.missing == {"slow": "too slow"}
        assert list(found.modules) == ["quick"]

    def test_every_rival_has_a_distribution(self) -> None:
        assert RIVAL_MODULES.keys() == RIVAL_DISTRIBUTIONS.keys()
        assert set(formats.FORMATS) == RIVAL_MODULES.keys() - set(PEERS)

    def test_formats_are_no_rivals_of_the_whole_package(self) -> None:
        """Import time and size compare with what does the same."""
        rivals = Rivals(missing={"nnrp_py": "no", "protobuf": "no"})
        (size,) = footprint.WheelCase().run(Settings(), rivals)
        assert size.missing == {"nnrp_py": "no"}
        assert size.rivals == {}
