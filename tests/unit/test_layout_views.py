"""What every one of the 57 view classes does, walked over all of them."""

from __future__ import annotations

import copy
import pickle

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import FieldOutOfRange, SourceTooShort

LAYOUTS = list(data.table()["layouts"])
every_layout = pytest.mark.parametrize("name", LAYOUTS)


def seed(name: str) -> bytes:
    """The fullest accepted value of a layout: the one with the most non-zero bytes."""
    return max(data.layout_seeds()[name], key=lambda found: sum(byte != 0 for byte in found))


def settable(name: str) -> list[str]:
    return [field["name"] for field in raw.fields(name) if not field.get("reserved")]


def test_there_are_57_layouts_each_with_a_class_of_its_own():
    assert len(LAYOUTS) == 57
    assert set(wire.VIEWS) == set(LAYOUTS)
    assert len(set(wire.VIEWS.values())) == 57


@every_layout
def test_class_is_the_camel_case_of_its_layout(name):
    view_class = wire.VIEWS[name]
    assert view_class.__name__ == data.class_name(name)
    assert getattr(wire, data.class_name(name)) is view_class
    assert issubclass(view_class, wire.LayoutView)
    assert view_class.layout_name == name
    assert view_class.size == raw.size(name)
    assert view_class.__doc__


@every_layout
def test_field_descriptions_are_the_table(name):
    described = wire.VIEWS[name].fields
    assert isinstance(described, tuple)
    expected = [
        (field["name"], field["offset"], field["size"], field["type"], bool(field.get("reserved")))
        for field in raw.fields(name)
    ]
    assert [(one.name, one.offset, one.size, one.type, bool(one.reserved)) for one in described] == expected
    assert sum(one.size for one in described) == raw.size(name), "every byte belongs to exactly one field"


@every_layout
def test_parse_reads_every_field(name):
    source = seed(name)
    view = wire.VIEWS[name].parse(source)
    expected = raw.read(name, source)
    assert {field: getattr(view, field) for field in expected} == expected
    assert view.as_dict() == expected
    assert list(view.as_dict()) == list(expected), "in the order of the wire"


@every_layout
def test_parse_at_a_position(name):
    source = seed(name)
    around = b"\xa5" * 7 + source + b"\x5a" * 3
    view = wire.VIEWS[name].parse(around, 7)
    assert bytes(view) == source
    with pytest.raises(wire_short(name)):
        wire.VIEWS[name].parse(around, 11)


def wire_short(name: str) -> type[Exception]:
    """A short recovery ticket is an invalid ticket (wire.md 9); everything else is short."""
    return wire.InvalidRecoveryTicket if name == "recovery_ticket_prefix" else SourceTooShort


@every_layout
@pytest.mark.parametrize("position", [-1, 10**6, 2**70, -(2**70)])
def test_position_outside_the_buffer(name, position):
    """No position reads memory outside the buffer, and none is taken as counted from the end."""
    with pytest.raises((wire_short(name), ValueError, IndexError, OverflowError)):
        wire.VIEWS[name].parse(seed(name), position)


@every_layout
def test_views_are_sized_readonly_buffers(name):
    source = seed(name)
    view = wire.VIEWS[name].parse(source)
    assert len(view) == len(source)
    with memoryview(view) as window:
        assert window.readonly
        assert window.format == "B"
        assert window.nbytes == len(source)
        assert bytes(window) == source
        with pytest.raises(TypeError):
            window[0] = 0
    assert bytes(view) == bytearray(view) == source


@every_layout
def test_equality_and_hash_are_by_content(name):
    view_class, source = wire.VIEWS[name], seed(name)
    one, other = view_class.parse(source), view_class.parse(b"--" + source, 2)
    copied = view_class.parse(bytearray(source))
    assert one == other == copied
    assert not one != other
    assert hash(one) == hash(other) == hash(copied)
    assert len({one, other, copied}) == 1


@every_layout
def test_inequality(name):
    view_class = wire.VIEWS[name]
    found = {view_class.parse(source) for source in data.layout_seeds()[name]}
    assert len(found) == len(data.layout_seeds()[name])
    view = found.pop()
    assert view not in found
    assert view != bytes(view), "a view is not its bytes"
    assert view != None  # noqa: E711  the comparison itself is under test
    assert not view == 1


def test_same_bytes_in_another_layout_are_not_equal():
    assert wire.TensorProfilePatchBlock.parse(bytes(16)) != wire.TensorProfilePatchAckBlock.parse(bytes(16))


def test_views_have_no_order():
    one = wire.TransportProbe.build(probe_id=1)
    with pytest.raises(TypeError):
        _ = one < wire.TransportProbe.build(probe_id=2)


@every_layout
def test_repr_is_short_and_names_the_class(name):
    view = wire.VIEWS[name].parse(seed(name))
    text = repr(view)
    assert data.class_name(name) in text
    assert len(text) <= 4000
    assert "\n" not in text


def test_repr_shows_fields_by_name():
    text = repr(wire.TransportProbe.build(probe_id=77))
    assert "probe_id=77" in text


@every_layout
def test_fields_cannot_be_written(name):
    view = wire.VIEWS[name].parse(seed(name))
    for field in raw.fields(name):
        with pytest.raises((AttributeError, TypeError)):
            setattr(view, field["name"], 0)
    with pytest.raises(AttributeError):
        view.no_such_field = 1
    assert bytes(view) == seed(name)


@every_layout
def test_match_arguments_are_the_fields_that_mean_something(name):
    assert list(wire.VIEWS[name].__match_args__) == settable(name)


def test_pattern_matching_by_keyword_and_position():
    view = wire.TransportProbe.build(probe_id=5, probe_payload_bytes=6, client_send_ts_us=7)
    match view:
        case wire.TransportProbe(probe_id=9):
            pytest.fail("matched a value it does not have")
        case wire.TransportProbe(probe_id=5, client_send_ts_us=sent):
            assert sent == 7
        case _:
            pytest.fail("did not match")
    match view:
        case wire.TransportProbe(5, payload, _):
            assert payload == 6
        case _:
            pytest.fail("did not match by position")
    match view:
        case wire.TransportProbeAck():
            pytest.fail("matched another layout")
        case wire.LayoutView():
            pass


@every_layout
def test_pickling_is_refused_with_a_clear_error(name):
    view = wire.VIEWS[name].parse(seed(name))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match=r"(?i)pickle"):
            pickle.dumps(view, protocol)


@every_layout
def test_copy_is_detached_and_equal(name):
    view = wire.VIEWS[name].parse(b"x" * 100 + seed(name), 100)
    detached = view.copy()
    assert type(detached) is type(view)
    assert detached == view
    assert bytes(detached) == seed(name)


def test_copy_module_never_makes_a_broken_view():
    view = wire.TransportProbe.build(probe_id=5)
    for duplicate in (copy.copy, copy.deepcopy):
        try:
            made = duplicate(view)
        except TypeError:
            continue
        assert made == view


@every_layout
def test_build_with_no_field_of_a_plain_layout_or_its_rule(name):
    """Everything defaults to 0: the result is the all-zero layout with its constants, or the rule that forbids it."""
    from wirekit import oracle

    plain = raw.layout(name)
    expected = oracle.layout_error(name, plain)
    if expected is None:
        assert bytes(wire.VIEWS[name].build()) == plain
    else:
        with pytest.raises(getattr(wire, data.class_name(expected))):
            wire.VIEWS[name].build()


@every_layout
def test_build_from_own_fields_is_the_identity(name):
    view_class = wire.VIEWS[name]
    for source in data.layout_seeds()[name]:
        values = raw.read(name, source)
        assert bytes(view_class.build(**values)) == source
        written = {field: values[field] for field in settable(name)}
        assert bytes(view_class.build(**written)) == source, "reserved fields and constants need not be given"


@every_layout
def test_unknown_field_names_are_type_errors(name):
    view_class = wire.VIEWS[name]
    values = raw.read(name, seed(name))
    view = view_class.parse(seed(name))
    target = bytearray(view_class.size)
    with pytest.raises(TypeError, match="no_such_field"):
        view_class.build(**values, no_such_field=1)
    with pytest.raises(TypeError, match="no_such_field"):
        view_class.build_into(target, 0, **values, no_such_field=1)
    with pytest.raises(TypeError, match="no_such_field"):
        view.replace(no_such_field=1)
    assert target == bytes(view_class.size)


@every_layout
def test_values_that_do_not_fit_their_field_are_our_callers_fault(name):
    """Not a wire error: no bytes could hold them. Every integer field, both ends."""
    view_class, values = wire.VIEWS[name], raw.read(name, seed(name))
    for field in raw.fields(name):
        if field["type"] == "bytes":
            continue
        bits = 8 * field["size"]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if field["type"].startswith("i") else (0, (1 << bits) - 1)
        for value in (low - 1, high + 1, 1 << 200, -(1 << 200)):
            with pytest.raises(FieldOutOfRange, match=field["name"]):
                view_class.build(**{**values, field["name"]: value})
            with pytest.raises(FieldOutOfRange):
                view_class.parse(seed(name)).replace(**{field["name"]: value})


@every_layout
@pytest.mark.parametrize("value", ["1", 1.0, None, b"\x01", [1]], ids=repr)
def test_values_of_the_wrong_type(name, value):
    view_class, values = wire.VIEWS[name], raw.read(name, seed(name))
    field = next(one["name"] for one in raw.fields(name) if one["type"] != "bytes")
    with pytest.raises(TypeError):
        view_class.build(**{**values, field: value})


def test_objects_with_index_are_numbers():
    class Seven:
        def __index__(self) -> int:
            return 7

    assert wire.TransportProbe.build(probe_id=Seven()).probe_id == 7
    assert wire.TransportProbe.build(probe_id=True).probe_id == 1


def test_an_index_that_raises_comes_through():
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        wire.TransportProbe.build(probe_id=Broken())


@every_layout
def test_build_into(name):
    view_class, source = wire.VIEWS[name], seed(name)
    values = raw.read(name, source)
    for lead in (0, 5):
        target = bytearray(b"\xee" * (lead + len(source) + 4))
        assert view_class.build_into(target, lead, **values) == lead + len(source)
        assert target == b"\xee" * lead + source + b"\xee" * 4
    assert view_class.build_into(memoryview(bytearray(len(source))), 0, **values) == len(source)


@every_layout
def test_build_into_too_small(name):
    view_class, values = wire.VIEWS[name], raw.read(name, seed(name))
    for room in (0, 1, view_class.size - 1):
        target = bytearray(b"\xee" * room)
        with pytest.raises(wire.DestinationTooShort) as caught:
            view_class.build_into(target, 0, **values)
        assert target == b"\xee" * room
        assert data.broken_rule(caught.value) == "destination_holds_output"
        assert caught.value.layout == name
        assert caught.value.expected == view_class.size
        assert caught.value.found == room
    with pytest.raises(wire.DestinationTooShort):
        view_class.build_into(bytearray(view_class.size + 3), 4, **values)


def test_build_into_needs_writable_contiguous_memory():
    for target in (bytes(16), memoryview(bytes(16)), memoryview(bytearray(32))[::2]):
        with pytest.raises(BufferError):
            wire.TransportProbe.build_into(target, 0, probe_id=1)
    with pytest.raises(TypeError):
        wire.TransportProbe.build_into("text", 0, probe_id=1)


@every_layout
def test_replace_changes_one_field_and_nothing_else(name):
    view = wire.VIEWS[name].parse(seed(name))
    before = bytes(view)
    for other in data.layout_seeds()[name]:
        for field, value in raw.read(name, other).items():
            expected = {**raw.read(name, before), field: value}
            changed = raw.layout(name, expected)
            from wirekit import oracle

            if oracle.layout_error(name, changed) is None:
                assert bytes(view.replace(**{field: value})) == changed
    assert bytes(view) == before, "the original stays as it is"


@every_layout
def test_replace_is_checked(name):
    """Every reserved byte stays zero through replace as well (wire.md section 1)."""
    view = wire.VIEWS[name].parse(seed(name))
    for field in raw.fields(name):
        if field.get("reserved"):
            with pytest.raises(wire.NonZeroReservedField) as caught:
                view.replace(**{field["name"]: 1})
            assert caught.value.field == field["name"]


def test_views_of_mutable_memory_are_copies():
    """Header and metadata are copied before they are checked, so a later write cannot be seen through them."""
    source = bytearray(seed("client_hello"))
    view = wire.ClientHello.parse(source)
    kept = bytes(view)
    source[:] = bytes(len(source))
    assert bytes(view) == kept
    source.extend(b"x" * 100)


def test_construction_by_calling_the_class_makes_no_usable_view():
    """Views come from parse and build; calling the class gives an error or an empty view, never somebody's memory."""
    try:
        view = wire.ClientHello()
    except TypeError:
        return
    with pytest.raises(Exception):  # noqa: B017, PT011  whichever error: it must be one
        _ = view.min_version_major
