"""A table that contradicts itself is refused, with the place of the mistake first: one row per mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import generate_wire
import pytest
from wiregen import model

Raw = dict[str, Any]


def field(raw: Raw, layout: str, name: str) -> Raw:
    return next(entry for entry in raw["layouts"][layout]["fields"] if entry["name"] == name)


def check(raw: Raw, layout: str, text: str) -> Raw:
    return next(entry for entry in raw["layouts"][layout]["checks"] if entry["check"] == text)


def rule(raw: Raw, layout: str, text: str) -> Raw:
    return check(raw, layout, text)["rule"]


def rename(entries: Raw, old: str, new: str) -> None:
    """Another name in the same place, so that nothing but the name differs."""
    held = dict(entries)
    entries.clear()
    entries.update({new if name == old else name: entry for name, entry in held.items()})


BROKEN: list[tuple[str, Callable[[Raw], Any], str]] = [
    # fields and their places
    (
        "gap between fields",
        lambda raw: field(raw, "scheduling", "control_sequence").update(offset=9),
        "layout scheduling, field control_sequence: starts at 9, the one before ends at 8",
    ),
    (
        "overlap of fields",
        lambda raw: field(raw, "client_hello", "max_version_major").update(offset=0),
        "layout client_hello, field max_version_major: starts at 0, the one before ends at 1",
    ),
    (
        "fields end before the size",
        lambda raw: raw["layouts"]["progress"].update(size=33),
        "layout progress: the fields end at 32, size says 33",
    ),
    (
        "type nobody knows",
        lambda raw: field(raw, "scheduling", "control_sequence").update(type="u128"),
        "layout scheduling, field control_sequence: unknown type 'u128'",
    ),
    (
        "size that is not the type's",
        lambda raw: field(raw, "scheduling", "control_sequence").update(size=4),
        "layout scheduling, field control_sequence: u64 is 8 bytes, not 4",
    ),
    (
        "one field name twice",
        lambda raw: field(raw, "scheduling", "control_sequence").update(name="operation_id"),
        "layout scheduling: one field name stands twice",
    ),
    (
        "enum nobody defined",
        lambda raw: field(raw, "frame_submit", "submit_mode").update(enum="submit_moods"),
        "layout frame_submit, field submit_mode: unknown enum 'submit_moods'",
    ),
    (
        "mask nobody defined",
        lambda raw: field(raw, "frame_submit", "budget_policy").update(mask="budget"),
        "layout frame_submit, field budget_policy: unknown mask 'budget'",
    ),
    (
        "registry nobody defined",
        lambda raw: field(raw, "control_request", "reason_code").update(registry="reasons"),
        "layout control_request, field reason_code: unknown registry 'reasons'",
    ),
    (
        "request nobody defined",
        lambda raw: raw["layouts"]["server_hello_ack"].update(request="hello"),
        "layout server_hello_ack: unknown request layout",
    ),
    # names that Python could not bear
    (
        "field named like a keyword",
        lambda raw: field(raw, "tensor_profile_patch_block", "min_width").update(name="from"),
        "layout tensor_profile_patch_block, field from: the name is no Python identifier",
    ),
    (
        "field named like a method of the views",
        lambda raw: field(raw, "tensor_profile_patch_block", "min_width").update(name="replace"),
        "layout tensor_profile_patch_block, field replace: the name is one of the view's own",
    ),
    (
        "field of a hot layout named like a method of the views",
        lambda raw: field(raw, "partial_result", "delta_sequence").update(name="size"),
        "layout partial_result, field size: the name is one of the view's own",
    ),
    (
        "private field",
        lambda raw: field(raw, "tensor_profile_patch_block", "min_width").update(name="_p"),
        "layout tensor_profile_patch_block, field _p: the name starts with an underscore",
    ),
    (
        "layout named like a class of the package",
        lambda raw: rename(raw["layouts"], "tensor_profile_patch_block", "packet"),
        "layout packet: class Packet is one of the package's own",
    ),
    (
        "enum named like the stages",
        lambda raw: rename(raw["enums"], "cancel_scope", "stage"),
        "enum stage: class Stage is one of the package's own",
    ),
    (
        "layout and enum of one class name",
        lambda raw: rename(raw["layouts"], "tensor_profile_patch_block", "cancel.scope"),
        "enum cancel_scope: class CancelScope is already that of layout cancel.scope",
    ),
    (
        "enum member that is no identifier",
        lambda raw: raw["enums"]["cancel_scope"]["values"].update({"0": "1st"}),
        "enum cancel_scope: member '1st' is no Python identifier",
    ),
    (
        "enum member that the enum machinery reads for itself",
        lambda raw: raw["enums"]["cancel_scope"]["values"].update({"0": "_missing_"}),
        "enum cancel_scope: member '_missing_' is one of the class's own",
    ),
    (
        "two members of one spelling",
        lambda raw: raw["enums"]["runtime_profile"]["values"].update({"257": "runtime_control"}),
        "enum runtime_profile: two members are spelled RUNTIME_CONTROL",
    ),
    (
        "mask bit that is no identifier",
        lambda raw: raw["masks"]["flow_flags"]["bits"].update({"0x1": "credit valid"}),
        "mask flow_flags: member 'credit valid' is no Python identifier",
    ),
    (
        "registry member that is no identifier",
        lambda raw: raw["open_registries"]["reason_code"]["values"].update({"0": ""}),
        "registry reason_code: member '' is no Python identifier",
    ),
    (
        "constants of one spelling",
        lambda raw: raw["constants"].update({"WIRE.format": 1}),
        "constants: two are spelled WIRE_FORMAT",
    ),
    # enums and masks
    (
        "one enum value twice",
        lambda raw: raw["enums"]["cancel_scope"]["values"].update({"0x0": "nothing"}),
        "enum cancel_scope: one value stands twice",
    ),
    (
        "one member name twice",
        lambda raw: raw["enums"]["cancel_scope"]["values"].update({"7": "session"}),
        "enum cancel_scope: one member name stands twice",
    ),
    (
        "mask bit of two bits",
        lambda raw: raw["masks"]["flow_flags"]["bits"].update({"0x30": "both"}),
        "mask flow_flags: a bit is not a single bit",
    ),
    (
        "mask that is not the sum of its bits",
        lambda raw: raw["masks"]["flow_flags"].update(known_mask="0x1f"),
        "mask flow_flags: the bits do not add up to known_mask",
    ),
    (
        "closed enum that a layout checks and a byte does not hold",
        lambda raw: raw["enums"]["result_hint_reason"]["values"].update({"256": "far"}),
        "layout result_hint, check 'reason is a known value': the values of a closed enum fit a byte",
    ),
    # rules
    (
        "layout without its first rule",
        lambda raw: raw["layouts"]["progress"]["checks"].pop(0),
        "layout progress: the first check is not min_size",
    ),
    (
        "min_size of another size",
        lambda raw: rule(raw, "progress", "length >= size").update(size=31),
        "layout progress: min_size differs from size",
    ),
    (
        "op nobody knows",
        lambda raw: rule(raw, "progress", "operation_id != 0").update(op="pleases"),
        "layout progress, check 'operation_id != 0': unknown op 'pleases'",
    ),
    (
        "rule without its field",
        lambda raw: rule(raw, "progress", "operation_id != 0").pop("field"),
        "layout progress, check 'operation_id != 0': the rule lacks 'field'",
    ),
    (
        "rule over a field the layout has not",
        lambda raw: rule(raw, "progress", "operation_id != 0").update(field="operation"),
        "layout progress, check 'operation_id != 0': layout progress has no field 'operation'",
    ),
    (
        "rule over a header field that is not there",
        lambda raw: rule(raw, "progress", "operation_id != 0").update(field="header.session"),
        "layout progress, check 'operation_id != 0': layout common_header has no field 'session'",
    ),
    (
        "rule over a request that the layout does not name",
        lambda raw: rule(raw, "progress", "operation_id != 0").update(field="request.operation_id"),
        "layout progress, check 'operation_id != 0': the layout names no request",
    ),
    (
        "rule over an enum nobody defined",
        lambda raw: rule(raw, "frame_submit", "submit_mode is a known value").update(enum="moods"),
        "layout frame_submit, check 'submit_mode is a known value': unknown enum 'moods'",
    ),
    (
        "rule over a mask nobody defined",
        lambda raw: rule(raw, "frame_submit", "budget_policy within mask").update(mask="moods"),
        "layout frame_submit, check 'budget_policy within mask': unknown mask 'moods'",
    ),
    (
        "stage nobody knows",
        lambda raw: check(raw, "progress", "operation_id != 0").update(stage="later"),
        "layout progress, check 'operation_id != 0': unknown stage 'later'",
    ),
    (
        "error class nobody knows",
        lambda raw: check(raw, "progress", "operation_id != 0").update(error="oops"),
        "layout progress, check 'operation_id != 0': no codec error 'oops'",
    ),
    (
        "error class of another floor",
        lambda raw: check(raw, "progress", "operation_id != 0").update(error="unknown_session"),
        "layout progress, check 'operation_id != 0': no codec error 'unknown_session'",
    ),
    (
        "check of a message nobody sends",
        lambda raw: check(raw, "progress", "operation_id != 0").update(messages=["progres"]),
        "layout progress, check 'operation_id != 0': unknown message 'progres'",
    ),
    (
        "procedural rule of no codec error",
        lambda raw: raw["procedural_rules"]["packet_is_exact"].update(error="io"),
        "rule packet_is_exact: no codec error 'io'",
    ),
    (
        "procedural rule of no stage",
        lambda raw: raw["procedural_rules"]["packet_is_exact"].update(stage="packet"),
        "rule packet_is_exact: unknown stage 'packet'",
    ),
    # messages
    (
        "two messages of one code",
        lambda raw: raw["messages"]["pong"].update(code="0x20"),
        "message pong: code 0x20 belongs to ping",
    ),
    (
        "code above a byte",
        lambda raw: raw["messages"]["pong"].update(code="0x120"),
        "message pong: the code does not fit a byte",
    ),
    (
        "catalogue without an enum member",
        lambda raw: raw["enums"]["message_type"]["values"].pop("33"),
        "messages: the catalogue and the enum message_type differ",
    ),
    (
        "message of a layout nobody defined",
        lambda raw: raw["messages"]["progress"].update(metadata="progression"),
        "message progress: unknown layout 'progression'",
    ),
    (
        "tail without metadata",
        lambda raw: raw["messages"]["ping"].update(body=[{"name": "echo", "length_field": "echo_bytes"}]),
        "message ping: a tail without metadata to declare it",
    ),
    (
        "tail of a length field that is not there",
        lambda raw: raw["messages"]["progress"]["body"][0].update(length_field="bytes"),
        "message progress: layout progress has no field 'bytes'",
    ),
    (
        "more tails than the core holds",
        lambda raw: raw["messages"]["progress"].update(body=raw["messages"]["progress"]["body"] * 4),
        "message progress: more than 3 tails",
    ),
]


@pytest.mark.parametrize(("change", "says"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_table_is_refused_at_the_place_of_the_mistake(raw, change, says):
    change(raw)
    with pytest.raises(model.TableError) as refusal:
        generate_wire.generate(model.build(raw))
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_rows_start_from_a_table_that_passes(raw):
    assert generate_wire.generate(model.build(raw))


@pytest.mark.parametrize("mark", ["# hot views", "# hot view imports"])
def test_a_stub_template_without_a_mark_is_refused(original, mark):
    from wiregen import emit_views

    template = (generate_wire.ROOT / "src/nnrp_wire/wire/_codec.pyi.in").read_text(encoding="utf-8")
    lines = [line for line in template.split("\n") if line != mark]
    with pytest.raises(model.TableError, match=f"the line '{mark}' stands 0 times, not once"):
        emit_views.codec_stub(model.build(original), "\n".join(lines))
