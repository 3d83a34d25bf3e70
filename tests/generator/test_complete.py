"""Nothing of the table is lost: every layout, field, enum, mask, error, constant, message and rule arrives."""

from __future__ import annotations

import ast
import enum
import re
from typing import Any

import pytest
from wiregen import model

WIRE = "src/nnrp_wire/wire"


@pytest.fixture(scope="module")
def table(original) -> model.Table:
    return model.build(original)


def executed(text: str, **given: Any) -> dict[str, Any]:
    """The names a generated module defines."""
    names: dict[str, Any] = {"__name__": "generated", **given}
    exec(compile(text, "generated", "exec"), names)  # noqa: S102  (our own output is what is under test)
    return names


def classes(text: str) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}


def functions(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}


def match_args(node: ast.ClassDef) -> tuple[str, ...]:
    for part in node.body:
        if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "__match_args__":
            return ast.literal_eval(part.value)
    raise AssertionError(f"{node.name} has no __match_args__")


def is_sorted(names: list[str]) -> bool:
    return names == sorted(names, key=lambda name: (not name.isupper(), name))


def test_python_enums(table, made):
    names = executed(made[f"{WIRE}/_enums_generated.py"])
    entries = {**table.enums, **table.registries, **table.masks}
    assert sorted(names["__all__"]) == sorted(["Stage", *(entry.class_name for entry in entries.values())])
    assert is_sorted(names["__all__"])
    assert {stage.name.lower(): stage.value for stage in names["Stage"]} == {stage: stage for stage in model.STAGES}
    for name, entry in entries.items():
        kind = names[entry.class_name]
        flags = isinstance(entry, model.Mask)
        assert issubclass(kind, enum.IntFlag if flags else enum.IntEnum), name
        assert kind.__doc__, name
        values = entry.bits if flags else entry.values
        expected = {member.upper().replace(".", "_"): value for value, member in values.items()}
        assert {member: int(value) for member, value in kind.__members__.items()} == expected, name
        if entry.note:
            assert entry.note.lower() in " ".join(kind.__doc__.lower().split()), name


def test_python_constants(table, made):
    names = executed(made[f"{WIRE}/_constants_generated.py"])
    assert sorted(names["__all__"]) == sorted(name.upper() for name in table.constants)
    assert is_sorted(names["__all__"])
    assert names["MAGIC"] == b"NNRP", "what stands on the wire is bytes"
    assert names["ALPN"] == "nnrp/1"
    for name, value in table.constants.items():
        found = names[name.upper()]
        if isinstance(value, dict):
            assert list(found) == list(value), name
            with pytest.raises(TypeError):
                found["another"] = 1
        elif isinstance(value, int):
            assert found == value, name
        elif value.startswith("0x"):
            assert found == int(value, 16), name
    assert names["CLIENT_DEFAULTS"]["supported_payload_kind_bitmap"] == 0x73
    assert names["SERVER_DEFAULTS"]["supported_profiles"] == (2,)


def test_python_error_classes(table, made):
    text = made["src/nnrp_wire/_error_classes_generated.py"].replace("from ._errors_base import WireError", "")
    names = executed(text, WireError=ValueError)
    assert [kind.error_class for kind in names["WIRE_ERRORS"]] == table.codec_errors
    assert [kind.__name__ for kind in names["WIRE_ERRORS"]] == [model.camel(name) for name in table.codec_errors]
    assert all(issubclass(kind, ValueError) and kind.__doc__ for kind in names["WIRE_ERRORS"])
    assert sorted(names["__all__"]) == sorted(["WIRE_ERRORS", *(kind.__name__ for kind in names["WIRE_ERRORS"])])


def test_python_views(table, made):
    class LayoutView:
        pass

    def view_class(layout: str):
        def fill(cls):
            cls.layout_name = layout
            return cls

        return fill

    hot = {layout.class_name: type(layout.class_name, (), {}) for layout in table.layouts.values() if layout.hot}
    assert len(hot) == 6
    text = re.sub(r"(?ms)^from \._codec import (\(.*?\)|.*?)$", "", made[f"{WIRE}/_layouts_generated.py"])
    names = executed(text, LayoutView=LayoutView, view_class=view_class, **hot)
    assert list(names["VIEWS"]) == list(table.layouts), "in the order of the table"
    for name, layout in table.layouts.items():
        view = names["VIEWS"][name]
        assert view is names[layout.class_name], name
        if not layout.hot:
            assert view.layout_name == name
            assert view.__slots__ == ()
            assert f"{layout.size} bytes" in view.__doc__
    assert sorted(names["__all__"]) == sorted(["VIEWS", *(layout.class_name for layout in table.layouts.values())])


def test_stubs_name_every_field_with_its_type(table, made):
    stubs = classes(made[f"{WIRE}/_layouts_generated.pyi"])
    hot = {name: node for name, node in classes(made[f"{WIRE}/_codec.pyi"]).items() if name not in stubs}
    for layout in table.layouts.values():
        node = (hot if layout.hot else stubs)[layout.class_name]
        fields = [field.name for field in layout.fields]
        parts = functions(node)
        assert [name for name in parts if name not in ("build", "build_into", "replace")] == fields, layout.name
        assert match_args(node) == tuple(field.name for field in layout.fields if not field.reserved), layout.name
        for method in ("build", "build_into", "replace"):
            arguments = parts[method].args
            assert [argument.arg for argument in arguments.kwonlyargs] == fields, (layout.name, method)
            assert len(arguments.kw_defaults) == len(fields), "every field may be left out"
        assert [a.arg for a in parts["build_into"].args.posonlyargs] == ["cls", "buf", "pos"], layout.name
        for field, default in zip(layout.fields, parts["build"].args.kw_defaults, strict=True):
            given = ast.literal_eval(default)
            if isinstance(given, bytes):
                given = int.from_bytes(given, "little")
            assert given == (field.const or 0), (layout.name, field.name)


@pytest.mark.parametrize(
    ("layout", "field", "kind"),
    [
        ("common_header", "magic", "bytes"),
        ("common_header", "message_type", "MessageType"),
        ("common_header", "flags", "HeaderFlags"),
        ("common_header", "header_len", "int"),
        ("frame_submit", "submit_mode", "SubmitMode"),
        ("frame_submit", "object_ref_mask", "SubmitObjectRefMask | int"),
        ("frame_submit", "reserved0", "int"),
        ("control_request", "reason_code", "ReasonCode | int"),
        ("scheduling", "priority_delta", "int"),
        ("error", "is_fatal", "int"),
    ],
)
def test_a_field_reads_as_its_kind(table, made, layout, field, kind):
    entry = table.layouts[layout]
    source = made[f"{WIRE}/_codec.pyi" if entry.hot else f"{WIRE}/_layouts_generated.pyi"]
    returns = functions(classes(source)[entry.class_name])[field].returns
    assert ast.unparse(returns) == kind


def test_fields_of_a_closed_kind_are_checked_by_the_layout_stage(table):
    """Their stubs promise a member and no plain number: so no view may exist that holds another value."""
    for layout in table.layouts.values():
        layout_stage = [check.rule for check in layout.checks if check.stage == "layout" and not check.messages]
        for field in layout.fields:
            if field.enum is not None:
                assert {"op": "known", "field": field.name, "enum": field.enum} in layout_stage, (layout.name, field)
            if field.mask is not None:
                assert {"op": "mask", "field": field.name, "mask": field.mask} in layout_stage, (layout.name, field)


def test_hot_views_read_every_field_at_its_own_number(table, made):
    text = made[f"{WIRE}/_hot_generated.pxi"]
    loads = {1: "nnrp_load_u8", 2: "nnrp_load_u16", 4: "nnrp_load_u32", 8: "nnrp_load_u64"}
    number = 0
    for layout in table.layouts.values():
        body = re.search(rf"(?ms)^cdef class {layout.class_name}\(LayoutView\):\n(.*?)(?=^@|\Z)", text)
        assert bool(body) == layout.hot, layout.name
        for field in layout.fields:
            if body is not None:
                read = re.search(rf"(?ms)def {field.name}\(self\):\n.*?^        return (.*?)$", body[1])
                assert read is not None, (layout.name, field.name)
                place = f"(self._p + NNRP_{layout.name.upper()}_AT_{field.name.upper()})"
                assert place in read[1], (layout.name, field.name)
                if field.type == "bytes":
                    assert read[1].startswith("PyBytes_FromStringAndSize("), (layout.name, field.name)
                else:
                    assert loads[field.size] in read[1], (layout.name, field.name)
                plain = field.reserved or field.const is not None or not (field.enum or field.mask or field.registry)
                assert read[1].startswith(f"member_of({number}, ") != plain, (layout.name, field.name)
            number += 1


def test_notes_hold_every_word_about_a_field(table, made):
    notes = executed(made[f"{WIRE}/_notes_generated.py"])["NOTES"]
    assert list(notes) == list(table.layouts)
    for layout in table.layouts.values():
        for field in layout.fields:
            constraint, note, unit = notes[layout.name].get(field.name, ("", "", ""))
            assert (note, unit) == (field.note or "", field.unit or ""), (layout.name, field.name)
            for name in (field.enum, field.mask, field.registry, field.declares):
                assert name is None or field.reserved or name in constraint, (layout.name, field.name)
            assert not field.reserved or constraint == "reserved, 0", (layout.name, field.name)


def test_c_table(table, made):
    header, source = made["csrc/include/nnrp/table_generated.h"], made["csrc/src/table_generated.c"]
    for number, name in enumerate(table.codec_errors):
        assert f"    NNRP_E_{name.upper()} = {-1 - number}," in header
        assert f'"{name}"' in source
    for message in table.messages.values():
        assert f"    NNRP_MT_{message.member} = 0x{message.code:02x}," in header
        assert f'    {{"{message.name}", ' in source
    for layout in table.layouts.values():
        assert f"    NNRP_{layout.name.upper()}_SIZE = {layout.size}," in header
        for field in layout.fields:
            assert f"#define NNRP_{layout.name.upper()}_AT_{field.name.upper()} {field.offset}u\n" in header
        for check in layout.checks:
            assert check.text.replace('"', '\\"') in source, layout.name
    for rule in table.procedural:
        assert f"    NNRP_RULE_{rule.name.upper()}," in header
        assert f'"{rule.text}"' in source


def test_reference_page(table, made):
    page = made["docs/wire-reference.md"]
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", page, re.DOTALL | re.MULTILINE))
    for layout in table.layouts.values():
        text = sections[layout.name]
        assert f"{layout.size} bytes. Class `{layout.class_name}`." in text
        rows = re.findall(r"^\| (\d+) \| (\d+) \| `(\w+)` \|", text, re.MULTILINE)
        assert rows == [(str(f.offset), str(f.size), f.name) for f in layout.fields], layout.name
        stages = re.findall(rf"^\| ({'|'.join(model.STAGES)}) \| (.*) \| (\w+) \|$", text, re.MULTILINE)
        assert [(s, e) for s, _, e in stages] == [(c.stage, c.error) for c in layout.checks], layout.name
        for (_, text, _), check in zip(stages, layout.checks, strict=True):
            assert text.startswith(check.text.replace("|", "\\|")), layout.name
    for entry in [*table.enums.values(), *table.registries.values(), *table.masks.values()]:
        values = entry.bits if isinstance(entry, model.Mask) else entry.values
        assert f"Class `{entry.class_name}`." in sections[entry.name]
        assert all(member in sections[entry.name] for member in values.values()), entry.name
    for message in table.messages.values():
        assert f"| 0x{message.code:02x} | {message.member} | " in page
    for name in table.errors:
        assert name in page
    for rule in table.procedural:
        assert f"| {rule.stage} | {rule.text} | {rule.error} | {rule.section} |" in page
    for name in table.constants:
        assert name in page


def test_links_of_the_reference_page_lead_somewhere(made):
    page = made["docs/wire-reference.md"]
    headings = [title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE)]
    assert len(set(headings)) == len(headings), "an anchor that stands twice leads to the first"
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= set(headings)


def test_long_lines_are_left_to_prose_and_c(made):
    for name, text in made.items():
        if name.endswith((".py", ".pyi", ".pxi")):
            long = [number for number, line in enumerate(text.split("\n"), 1) if len(line) > 120]
            assert not long, (name, long)
