"""No field name of the protocol is shadowed by a method, and no method by a field: all names are walked."""

from __future__ import annotations

import inspect
import keyword

import pytest
from wirekit import data, raw

from nnrp_wire import wire

LAYOUTS = list(data.table()["layouts"])


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_field_shadows_an_attribute_of_the_base(name):
    taken = set(dir(wire.LayoutView))
    for field in raw.fields(name):
        assert field["name"] not in taken
        assert not keyword.iskeyword(field["name"])
        assert not field["name"].startswith("_")


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_field_is_a_data_descriptor_of_its_class(name):
    view_class = wire.VIEWS[name]
    for field in raw.fields(name):
        descriptor = inspect.getattr_static(view_class, field["name"])
        assert inspect.isdatadescriptor(descriptor), field["name"]
        assert not callable(descriptor)
        assert descriptor.__doc__, f"{field['name']} says what it is"


@pytest.mark.parametrize("name", LAYOUTS)
def test_methods_of_the_base_are_the_methods_of_the_class(name):
    view_class = wire.VIEWS[name]
    for method in ("parse", "build", "build_into", "replace", "as_dict", "copy"):
        assert callable(getattr(view_class, method))
    for attribute in ("layout_name", "size", "fields"):
        assert hasattr(view_class, attribute)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_view_has_no_public_name_beyond_base_and_fields(name):
    public = {attribute for attribute in dir(wire.VIEWS[name]) if not attribute.startswith("_")}
    base = {attribute for attribute in dir(wire.LayoutView) if not attribute.startswith("_")}
    assert public - base == {field["name"] for field in raw.fields(name)}


def test_fields_called_like_arguments_do_not_collide():
    """`offset` and `length` are fields: other arguments are positional only."""
    view = wire.ObjectReference.build(offset=3, length=4)
    assert (view.offset, view.length) == (3, 4)
    target = bytearray(48)
    assert wire.ObjectReference.build_into(target, 0, offset=3, length=4) == 48
    assert wire.ObjectReference.parse(target) == view
    assert view.replace(offset=9).offset == 9
    assert wire.TypedPayloadDescriptor.build(payload_kind=16, offset=3, length=4).offset == 3


@pytest.mark.parametrize("name", ["pos", "buf", "self", "cls"])
def test_argument_names_are_no_field_names(name):
    with pytest.raises(TypeError):
        wire.TransportProbe.build(**{name: 1})
    with pytest.raises(TypeError):
        wire.TransportProbe.build().replace(**{name: 1})


def test_other_arguments_are_positional_only():
    source = bytes(wire.TransportProbe.build())
    with pytest.raises(TypeError):
        wire.TransportProbe.parse(buf=source)
    with pytest.raises(TypeError):
        wire.TransportProbe.parse(source, pos=0)
    with pytest.raises(TypeError):
        wire.parse_header(buf=source)
    with pytest.raises(TypeError):
        wire.parse_packet(source, pos=0)


def test_class_names_never_meet():
    """Layouts, enums, masks, registries, error codes and error classes share one namespace."""
    table = data.table()
    codec_errors = [name for name, row in table["errors"].items() if row["layer"] == "codec"]
    names = [
        data.class_name(name)
        for group in (table["layouts"], table["enums"], table["masks"], table["open_registries"], table["error_codes"])
        for name in group
    ] + [data.class_name(name) for name in codec_errors]
    assert len(names) == len(set(names))
    for name in names:
        assert name in wire.__all__
