# From a status of the C core to an exception: the one place where that happens.

cdef tuple WIRE_ERRORS = _errors.WIRE_ERRORS
cdef object FieldOutOfRange = _errors.FieldOutOfRange
cdef tuple STAGES = tuple(_enums.Stage)


cdef object field_value(const nnrp_field *field, uint64_t value):
    """A field's number as its Python value, without a name for it."""
    if field.type == NNRP_BYTES4:
        return (<uint32_t>value).to_bytes(4, "little")
    if field.type == NNRP_I16:
        return <int16_t>value
    return PyLong_FromUnsignedLongLong(value)


cdef object fault(const nnrp_error *error, uint64_t base, bint in_body=False):
    """The exception for an error; base is where the failing part starts in what the caller knows.

    A layout that stands in a body is checked at the body stage, whatever the stage of its own rule.
    """
    cdef const nnrp_rule *rule = &nnrp_rules[error.rule]
    cdef const nnrp_field *field = NULL
    cdef object layout = None, field_name = None, expected = None, found = None
    cdef str text = rule.text.decode("ascii")
    if error.layout != NNRP_NONE:
        layout = nnrp_layouts[error.layout].name.decode("ascii")
        if error.field != NNRP_NONE:
            field = &nnrp_fields[nnrp_layouts[error.layout].first_field + error.field]
            field_name = field.name.decode("ascii")
    if error.detail & NNRP_HAS_EXPECTED:
        expected = error.expected if field == NULL else field_value(field, error.expected)
    if error.detail & NNRP_HAS_FOUND:
        found = error.found if field == NULL else field_value(field, error.found)
    if rule.layout == NNRP_NONE and field != NULL:
        # A procedural rule compares sums that may be wider than the field they are blamed on.
        expected, found = error.expected, error.found
    if rule.enum_name != NULL:
        expected = rule.enum_name.decode("ascii")
    place = f"{layout}.{field_name}" if field_name is not None else layout
    message = f"{place}: {text}" if place is not None else text
    if expected is not None and found is not None:
        message = f"{message} (expected {expected!r}, found {found!r})"
    elif found is not None:
        message = f"{message} (found {found!r})"
    return WIRE_ERRORS[-1 - error.status](
        f"{message}, at offset {base + error.offset}",
        rule=text,
        stage=STAGES[NNRP_STAGE_BODY if in_body else rule.stage],
        layout=layout,
        field=field_name,
        offset=base + error.offset,
        expected=expected,
        found=found,
    )


cdef int refuse(const nnrp_error *error, uint64_t base) except -1:
    raise fault(error, base)


cdef int refuse_body(const nnrp_error *error, uint64_t base) except -1:
    raise fault(error, base, True)


cdef int too_small(Py_ssize_t needed, Py_ssize_t room, uint16_t layout=NNRP_NONE) except -1:
    cdef nnrp_error error
    nnrp_breach_values(&error, NNRP_RULE_DESTINATION_HOLDS_OUTPUT, room, needed, room)
    error.layout = layout
    raise fault(&error, 0)


cdef extern from "Python.h":
    # Without the exception clause, so that the check below costs nothing unless it fails.
    unsigned long long PyLong_AsUnsignedLongLong_raw "PyLong_AsUnsignedLongLong"(object value) noexcept
    void *PyErr_Occurred_raw "PyErr_Occurred"() noexcept
    bint PyLong_Check(object value) noexcept
    object PyNumber_Index(object value)
    void PyErr_Clear()


cdef object out_of_range(const nnrp_field *field, object found):
    """The exception for a caller's number that does not fit a field of the table."""
    cdef size_t number = field - &nnrp_fields[0]
    cdef const nnrp_layout *layout = &nnrp_layouts[0]
    cdef object maximum = nnrp_field_max(field)
    cdef object minimum = -1 - maximum if field.type == NNRP_I16 else 0
    while number >= <size_t>(layout.first_field + layout.field_count):
        layout += 1
    place = layout.name.decode("ascii"), field.name.decode("ascii")
    return FieldOutOfRange(
        f"{place[0]}.{place[1]} takes {minimum} to {maximum}, not {found!r}",
        layout=place[0],
        field=place[1],
        minimum=minimum,
        maximum=maximum,
        found=found,
    )


cdef inline uint64_t unsigned_value(object value, const nnrp_field *field) except? 0xfff1:
    """A caller's number for an unsigned field, range checked. Most arguments of most calls are the 0 of a default."""
    return 0 if value is ZERO else checked_value(value, field)


cdef uint64_t checked_value(object value, const nnrp_field *field) except? 0xfff1:
    cdef uint64_t number
    if not PyLong_Check(value):
        value = PyNumber_Index(value)
    number = PyLong_AsUnsignedLongLong_raw(value)
    if field.size < 8:
        if number >> (8 * field.size) == 0:
            return number
    elif number != 0xffffffffffffffff or PyErr_Occurred_raw() == NULL:
        return number
    PyErr_Clear()
    raise out_of_range(field, value)
