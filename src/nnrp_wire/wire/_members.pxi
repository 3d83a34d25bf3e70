# Numbers of fields to members of enums and flags.


cdef class Members:
    """The members of one enum, found by value. Flags are made on first use: a mask bounds how many there can be."""

    cdef object type
    cdef dict values
    cdef uint64_t known
    cdef bint is_flag

    def __init__(self, type_):
        self.type = type_
        self.is_flag = issubclass(type_, _enums.IntFlag)
        self.values = {int(member): member for member in type_.__members__.values()}
        self.known = 0
        if self.is_flag:
            for value in self.values:
                self.known |= value

    cdef object named(self, uint64_t value):
        cdef object number = PyLong_FromUnsignedLongLong(value)
        cdef PyObject *member = PyDict_GetItem(self.values, number)
        if member != NULL:
            return <object>member
        if self.is_flag and value & ~self.known == 0:
            return self.values.setdefault(number, self.type(number))
        return number


def _class_name(str name):
    return "".join(part.capitalize() for part in name.split("_"))


cdef list _all_members():
    """Members per field of nnrp_fields, None for a plain number; one object per enum."""
    cdef dict made = {}
    cdef list members = []
    cdef const nnrp_layout *last = &nnrp_layouts[NNRP_LAYOUT_COUNT - 1]
    cdef size_t i, count = last.first_field + last.field_count
    for i in range(count):
        if nnrp_fields[i].enum_name == NULL:
            members.append(None)
            continue
        name = nnrp_fields[i].enum_name.decode("ascii")
        if name not in made:
            made[name] = Members(getattr(_enums, _class_name(name)))
        members.append(made[name])
    return members


cdef list MEMBERS = _all_members()


cdef inline object member_of(size_t field, uint64_t value):
    """The member of a field's enum that value names, or the number itself."""
    return (<Members>PyList_GET_ITEM(MEMBERS, field)).named(value)


cdef list MESSAGE_TYPES = [None] * 256
for _member in _enums.MessageType:
    MESSAGE_TYPES[_member] = _member
