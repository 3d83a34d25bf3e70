# Views of layouts: one class over the table for all of them. The hot ones are cdef subclasses (_hot_generated.pxi) with a
# property per field; for the others the table's fields become descriptors when their thin Python class is made.

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        object (*tp_new)(PyTypeObject *type, object args, PyObject *kwargs)

cdef tuple NO_ARGUMENTS = ()
cdef dict LAYOUT_OF = {}       # view class -> index into nnrp_layouts
cdef list VIEW_CLASSES = [None] * NNRP_LAYOUT_COUNT
cdef list FIELD_NUMBERS = []   # per layout: field name -> index inside the layout
cdef dict LAYOUT_NUMBERS = {}  # layout name -> index


cdef int _read_names() except -1:
    cdef size_t i, j
    for i in range(NNRP_LAYOUT_COUNT):
        LAYOUT_NUMBERS[nnrp_layouts[i].name.decode("ascii")] = i
        FIELD_NUMBERS.append(
            {
                nnrp_fields[nnrp_layouts[i].first_field + j].name.decode("ascii"): j
                for j in range(nnrp_layouts[i].field_count)
            }
        )
    return 0


_read_names()


cdef const nnrp_layout *layout_of(object cls) except NULL:
    cdef PyObject *number = PyDict_GetItem(LAYOUT_OF, cls)
    if number != NULL:
        return &nnrp_layouts[<size_t><object>number]
    for base in cls.__mro__[1:]:  # a user's subclass of a view
        if base in LAYOUT_OF:
            return &nnrp_layouts[<size_t>LAYOUT_OF[base]]
    raise TypeError(f"{cls.__name__} is not the view of a layout; use one of its subclasses")


cdef int store_field(const nnrp_layout *layout, uint8_t *start, object name, object value) except -1:
    cdef PyObject *number = PyDict_GetItem(<dict>FIELD_NUMBERS[layout - nnrp_layouts], name)
    cdef const nnrp_field *field
    if number == NULL:
        raise TypeError(f"{layout.name.decode('ascii')} has no field {name!r}")
    field = &nnrp_fields[layout.first_field + <size_t><object>number]
    if field.type == NNRP_BYTES4:
        if not isinstance(value, bytes) or len(value) != field.size:
            raise TypeError(f"{layout.name.decode('ascii')}.{name} takes {field.size} bytes")
        nnrp_field_store(field, start, <uint64_t>int.from_bytes(value, "little"))
    elif field.type == NNRP_I16:
        value = PyNumber_Index(value)
        if not -0x8000 <= value <= 0x7fff:
            raise out_of_range(field, value)
        nnrp_field_store(field, start, <uint64_t>(<int16_t>value))
    else:
        nnrp_field_store(field, start, unsigned_value(value, field))
    return 0


cdef int write_layout(const nnrp_layout *layout, uint8_t *start, dict fields) except -1:
    """Fields over what stands at start, then the layout stage."""
    cdef nnrp_error error
    for name, value in fields.items():
        store_field(layout, start, name, value)
    if nnrp_layout_check(layout, start, layout.size, &error) != NNRP_OK:
        refuse(&error, 0)
    return 0


cdef void write_initial(const nnrp_layout *layout, uint8_t *start) noexcept:
    cdef size_t i
    memset(start, 0, layout.size)
    for i in range(layout.first_field, layout.first_field + layout.field_count):
        if nnrp_fields[i].initial != 0:
            nnrp_field_store(&nnrp_fields[i], start, nnrp_fields[i].initial)


cdef LayoutView make_view(object cls, const nnrp_layout *layout, object owner, const uint8_t *data):
    """A view of checked bytes: owner is the exact bytes that data points into."""
    # What cls.__new__(cls) ends in; the attribute look-up and the call would cost more than the view.
    cdef LayoutView view = <LayoutView>(<PyTypeObject *>cls).tp_new(<PyTypeObject *>cls, NO_ARGUMENTS, NULL)
    view._owner = owner
    view._p = data
    view._layout = layout
    return view


cdef LayoutView view_of(size_t number, object owner, const uint8_t *data):
    return make_view(<object>PyList_GET_ITEM(VIEW_CLASSES, number), &nnrp_layouts[number], owner, data)


cdef LayoutView built_view(object cls, const nnrp_layout *layout, const uint8_t *data):
    cdef object owner = PyBytes_FromStringAndSize(<const char *>data, layout.size)
    return make_view(cls, layout, owner, <const uint8_t *>PyBytes_AS_STRING(owner))


@cython.final
cdef class Field:
    """A field of a layout as a read-only attribute of its view class."""

    cdef const nnrp_field *field
    cdef const nnrp_layout *layout
    cdef size_t number
    cdef object members

    def __get__(self, instance, owner):
        cdef LayoutView view
        cdef uint64_t value
        if instance is None:
            return self
        if not isinstance(instance, LayoutView):
            raise TypeError("a field belongs to a view")
        view = <LayoutView>instance
        if view._layout != self.layout:
            raise ValueError("this view was never filled; use parse() or build()")
        value = nnrp_field_load(self.field, view._p)
        if self.members is not None:
            return (<Members>self.members).named(value)
        return field_value(self.field, value)

    def __set__(self, instance, value):
        raise AttributeError(f"{self!r} is read-only; use replace()")

    @property
    def __doc__(self):
        return f"{self.field.name.decode('ascii')}: {TYPE_NAMES[self.field.type]} at offset {self.field.offset}"

    def __repr__(self):
        return f"<field {self.layout.name.decode('ascii')}.{self.field.name.decode('ascii')}>"


cdef tuple TYPE_NAMES = ("u8", "u16", "u32", "u64", "i16", "bytes")


@cython.final
cdef class ClassFact:
    """An attribute that every view class has and that the table knows: the class is enough to read it."""

    cdef int which

    def __init__(self, int which):
        self.which = which

    def __get__(self, instance, owner):
        cdef const nnrp_layout *layout
        try:
            layout = layout_of(owner)
        except TypeError as problem:
            raise AttributeError(str(problem)) from None
        if self.which == 0:
            return layout.name.decode("ascii")
        if self.which == 1:
            return layout.size
        if self.which == 2:
            return tuple(
                nnrp_fields[i].name.decode("ascii")
                for i in range(layout.first_field, layout.first_field + layout.field_count)
                if nnrp_fields[i].kind != NNRP_RESERVED
            )
        from . import _tables
        return (_tables.fields_of, _tables.messages_of, _tables.rules_of)[self.which - 3](layout.name.decode("ascii"))


@cython.no_gc
@cython.freelist(64)
cdef class LayoutView:
    """A fixed layout of the wire over bytes: reads fields in place, never changes.

    A view keeps the bytes it reads alive. It compares and hashes by content, exports its bytes read-only, supports
    pattern matching on its fields, and refuses pickling (take `bytes()` or `as_dict()`). Reading a field gives the enum or
    flag member where the value has a name, else the number.
    """

    cdef object _owner  # exact bytes
    cdef const uint8_t *_p
    cdef const nnrp_layout *_layout  # NULL until filled

    layout_name = ClassFact(0)
    size = ClassFact(1)
    __match_args__ = ClassFact(2)
    fields = ClassFact(3)
    messages = ClassFact(4)
    rules = ClassFact(5)

    def __cinit__(self):
        self._owner = NOTHING
        self._p = ZEROES

    def __init__(self, *args, **kwargs):
        raise TypeError(f"{type(self).__name__} is made by parse() or build()")

    @classmethod
    def parse(cls, buf, pos=0, /):
        """The view of the layout at buf[pos:], after the checks of its layout stage (wire.md section 1).

        buf is any C-contiguous buffer; over `bytes` nothing is copied, from anything else the layout's bytes are.

        Raises the WireError of the first broken check, SourceTooShort for a short source, BufferError for a buffer that
        is not contiguous.
        """
        cdef const nnrp_layout *layout = layout_of(cls)
        cdef const uint8_t *data
        cdef Py_ssize_t length, at
        cdef nnrp_error error
        cdef uint8_t copy[NNRP_LARGEST_LAYOUT]
        cdef object owner = hold(buf, &data, &length)
        at = start_of(pos, length)
        if not PyBytes_CheckExact(owner):
            if length - at >= layout.size:
                memcpy(copy, data + at, layout.size)
                if nnrp_layout_check(layout, copy, layout.size, &error) != NNRP_OK:
                    refuse(&error, 0)
                return built_view(cls, layout, copy)
        if nnrp_layout_check(layout, data + at, length - at, &error) != NNRP_OK:
            refuse(&error, 0)
        return make_view(cls, layout, owner, data + at)

    @classmethod
    def build(cls, /, **fields):
        """A new view of the given fields; constants keep their value, every other field starts at 0.

        Raises the WireError that parse() would raise for these bytes, FieldOutOfRange for a value that does not fit,
        TypeError for an unknown field or a value that is no number.
        """
        cdef const nnrp_layout *layout = layout_of(cls)
        cdef uint8_t copy[NNRP_LARGEST_LAYOUT]
        write_initial(layout, copy)
        write_layout(layout, copy, fields)
        return built_view(cls, layout, copy)

    @classmethod
    def build_into(cls, buf, pos=0, /, **fields):
        """Write the layout of the given fields to buf[pos:]; returns the position behind it.

        buf is untouched unless everything holds. Raises as build(), and DestinationTooShort.
        """
        cdef const nnrp_layout *layout = layout_of(cls)
        cdef uint8_t copy[NNRP_LARGEST_LAYOUT]
        cdef Py_buffer view
        cdef uint8_t *data
        cdef Py_ssize_t at
        write_initial(layout, copy)
        write_layout(layout, copy, fields)
        data = writable(buf, &view)
        try:
            at = start_of(pos, view.len)
            if view.len - at < layout.size:
                too_small(layout.size, view.len - at, <uint16_t>(layout - nnrp_layouts))
            memcpy(data + at, copy, layout.size)
        finally:
            PyBuffer_Release(&view)
        return at + layout.size

    def replace(self, /, **fields):
        """A new view with some fields changed; raises as build()."""
        cdef uint8_t copy[NNRP_LARGEST_LAYOUT]
        cdef const nnrp_layout *layout = layout_of(type(self))
        memcpy(copy, self._p, layout.size)
        write_layout(layout, copy, fields)
        return built_view(type(self), layout, copy)

    def as_dict(self):
        """Every field, reserved ones and constants included, as plain numbers (`magic` as bytes)."""
        cdef const nnrp_layout *layout = layout_of(type(self))
        cdef const nnrp_field *field
        cdef dict values = {}
        for name, i in (<dict>FIELD_NUMBERS[layout - nnrp_layouts]).items():
            field = &nnrp_fields[layout.first_field + <size_t>i]
            values[name] = field_value(field, nnrp_field_load(field, self._p))
        return values

    def copy(self):
        """The same view over bytes of its own, so that a large source can go."""
        return built_view(type(self), layout_of(type(self)), self._p)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, <void *>self._p, layout_of(type(self)).size, True, flags)

    def __bytes__(self):
        return PyBytes_FromStringAndSize(<const char *>self._p, layout_of(type(self)).size)

    def __len__(self):
        return layout_of(type(self)).size

    def __bool__(self):
        return True

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return memcmp(self._p, (<LayoutView>other)._p, layout_of(type(self)).size) == 0

    def __hash__(self):
        return hash((type(self), bytes(self)))

    def __repr__(self):
        shown = ", ".join(
            f"{name}={getattr(self, name)!r}" if isinstance(value, bytes) else f"{name}={value}"
            for name, value in self.as_dict().items()
            if value and name in self.__match_args__
        )
        return f"<{type(self).__name__} {shown}>" if shown else f"<{type(self).__name__}>"

    def __reduce__(self):
        raise TypeError(f"{type(self).__name__} cannot be pickled; take bytes() or as_dict() of it")


cdef int register_view(object cls, size_t number) except -1:
    """Make cls the view of a layout."""
    LAYOUT_OF[cls] = number
    VIEW_CLASSES[number] = cls
    return 0


def view_class(str layout, /):
    """The decorator that makes a Python class the view of a layout: its fields become the class's attributes."""
    cdef size_t number = LAYOUT_NUMBERS[layout]

    def fill(cls):
        cdef size_t i
        cdef Field field
        register_view(cls, number)
        for name, i in FIELD_NUMBERS[number].items():
            field = Field.__new__(Field)
            field.layout = &nnrp_layouts[number]
            field.number = field.layout.first_field + i
            field.field = &nnrp_fields[field.number]
            field.members = MEMBERS[field.number]
            setattr(cls, name, field)
        return cls

    return fill


def table_fields(str layout, /):
    """(name, offset, size, type, reserved, enum name or None) of each field of a layout, for _tables.py."""
    cdef const nnrp_layout *entry = &nnrp_layouts[<size_t>LAYOUT_NUMBERS[layout]]
    cdef const nnrp_field *field
    cdef size_t i
    cdef list rows = []
    for i in range(entry.first_field, entry.first_field + entry.field_count):
        field = &nnrp_fields[i]
        name = None if field.enum_name == NULL else field.enum_name.decode("ascii")
        rows.append((field.name.decode("ascii"), field.offset, field.size, TYPE_NAMES[field.type],
                     field.kind == NNRP_RESERVED, name))
    return rows


def table_messages(str layout, /):
    """Codes of the messages whose metadata has a layout."""
    cdef size_t number = LAYOUT_NUMBERS[layout], i
    return [nnrp_messages[i].code for i in range(NNRP_MESSAGE_COUNT) if nnrp_messages[i].layout == number]


def table_rules(str layout, /):
    """(stage number, error class name, text, message codes) of each rule of a layout, in check order."""
    cdef const nnrp_layout *entry = &nnrp_layouts[<size_t>LAYOUT_NUMBERS[layout]]
    cdef const nnrp_rule *rule
    cdef size_t i, j
    cdef list rows = []
    for i in range(entry.size_rule, entry.first_rule[4]):
        rule = &nnrp_rules[i]
        codes = [nnrp_rule_messages[rule.first_message + j] for j in range(rule.message_count)]
        rows.append((rule.stage, WIRE_ERRORS[-1 - rule.status].error_class, rule.text.decode("ascii"), codes))
    return rows
