# The stages after the layout stage, each an explicit call (wire.md section 1).


def check_message(Packet packet not None, /, *, strict=False):
    """Message stage: exact metadata length and the rules of this message over header and metadata (wire.md section 1).

    strict adds the sender stage: what a sender obeys and deployed receivers do not refuse. Raises UnexpectedMessage for a
    metadata length the message does not allow, else the class of the broken rule.
    """
    cdef nnrp_error error
    packet._filled()
    if nnrp_message_check(packet._h, &packet._info, bool(strict), &error) != NNRP_OK:
        refuse(&error, 0)


def check_pair(Packet request not None, Packet answer not None, /):
    """Pair stage: an answer (SERVER_HELLO_ACK, SESSION_OPEN_ACK, SESSION_MIGRATE_ACK) against its request, wire.md section 1.

    Raises InvalidProtocolCombination, and TypeError when request is not the request that answer belongs to.
    """
    cdef nnrp_error error
    cdef uint16_t wanted = NNRP_NONE, given
    request._filled()
    answer._filled()
    given = nnrp_messages[request._info.message].layout
    if nnrp_messages[answer._info.message].layout != NNRP_NONE:
        wanted = nnrp_layouts[nnrp_messages[answer._info.message].layout].request
    if wanted == NNRP_NONE or wanted != given:
        raise TypeError(f"{request.message_type.name} is not the request of {answer.message_type.name}")
    if nnrp_pair_check(answer._h, &answer._info, request._h + NNRP_COMMON_HEADER_SIZE, &error) != NNRP_OK:
        refuse(&error, 0)


def check_body(Packet packet not None, /):
    """Body stage of any message: declared tails add up to the body, data-plane regions hold (wire.md sections 2 and 6).

    Never run by the packet parser: a malformed body concerns one operation, not the connection (S-69). Raises
    DeclaredLengthMismatch for tails that do not add up, else the class of the broken rule of section 6.
    """
    packet._filled()
    judge_body(packet)


cdef int judge_body(Packet packet) except -1:
    cdef nnrp_span spans[NNRP_MAX_TAILS]
    cdef nnrp_error error
    if nnrp_messages[packet._info.message].body_format == NNRP_BODY_DATA_PLANE:
        cut_body(packet)
    elif nnrp_tails_cut(packet._h, &packet._info, spans, &error) != NNRP_OK:
        refuse(&error, 0)
    return 0


cdef list cut_tails(Packet packet):
    """Name and memoryview of each tail, in order."""
    cdef nnrp_span spans[NNRP_MAX_TAILS]
    cdef nnrp_error error
    cdef size_t i
    cdef const nnrp_message *message = &nnrp_messages[packet._info.message]
    cdef list tails = []
    if nnrp_tails_cut(packet._h, &packet._info, spans, &error) != NNRP_OK:
        refuse(&error, 0)
    if message.body_format == NNRP_BODY_OPAQUE:
        return [("opaque", packet.body)]
    for i in range(message.tail_count):
        tails.append(
            (
                message.tail_names[i].decode("ascii"),
                region_view(packet._owner, packet._body + spans[i].at, spans[i].length),
            )
        )
    return tails


def message_tails(Packet packet not None, /):
    """The declared parts of a body by name, e.g. {"diagnostic": memoryview}, in the order of wire.md section 4.

    Empty for a message without body. Raises DeclaredLengthMismatch when the declared lengths do not add up to the body,
    TypeError for FRAME_SUBMIT and RESULT_PUSH, whose bodies have regions instead.
    """
    packet._filled()
    if nnrp_messages[packet._info.message].body_format == NNRP_BODY_DATA_PLANE:
        raise TypeError(f"the body of {packet.message_type.name} has regions; use {packet.message_type.name.lower()}_body()")
    return dict(cut_tails(packet))


def capability_entries(Packet packet not None, /):
    """The capability tokens in the body of CAPABILITY_NEGOTIATION or DEGRADE_PROFILE as a tuple of str (wire.md section 7).

    Older peers put free bytes there, so a receiver must not fail a session when this raises InvalidProtocolCombination.
    TypeError for any other message.
    """
    cdef nnrp_error error
    cdef nnrp_span token
    cdef size_t at = 0
    cdef object body
    cdef const uint8_t *data
    cdef list tokens = []
    packet._filled()
    if nnrp_messages[packet._info.message].layout != NNRP_L_CAPABILITY:
        raise TypeError(f"{packet.message_type.name} has no capability entries")
    cut_tails(packet)
    count = packet.metadata.capability_count
    body = bytes(packet.body) if packet._owner is not packet._head else packet._owner
    data = <const uint8_t *>PyBytes_AS_STRING(body) if packet._owner is not packet._head else packet._body
    while len(tokens) < count and at < packet._info.body_len:
        if nnrp_capability_entry_next(data, packet._info.body_len, &at, &token, &error) != NNRP_OK:
            refuse_body(&error, NNRP_COMMON_HEADER_SIZE + packet._info.meta_len)
        tokens.append(data[token.at : token.at + token.length].decode("utf-8"))
    if len(tokens) != count or at != packet._info.body_len:
        nnrp_breach_values(&error, NNRP_RULE_CAPABILITY_COUNT_MATCHES, at, count, len(tokens))
        refuse_body(&error, NNRP_COMMON_HEADER_SIZE + packet._info.meta_len)
    return tuple(tokens)


def control_extensions(block, /):
    """The entries of a control extension block: tuples of (ControlExtensionEntryHeader, value), wire.md section 9.

    A value of a known type is the view of its layout, any other a memoryview. Raises InvalidProtocolCombination for an
    entry cut short, padding that is not zero or an unknown critical type, DeclaredLengthMismatch for a known type of
    another length. The block is copied unless it is bytes.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length
    cdef size_t at = 0
    cdef nnrp_error error
    cdef nnrp_control_extension entry
    cdef list entries = []
    cdef int status
    cdef object owner = frozen(block, &data, &length)
    while True:
        status = nnrp_control_extension_next(data, length, &at, &entry, &error)
        if status == NNRP_NEED_MORE:
            return tuple(entries)
        if status != NNRP_OK:
            refuse_body(&error, 0)
        if entry.layout != NNRP_NONE:
            value = view_of(entry.layout, owner, data + entry.value_at)
        else:
            value = region_view(owner, data + entry.value_at, entry.value_length)
        entries.append((view_of(NNRP_L_CONTROL_EXTENSION_ENTRY_HEADER, owner, data + entry.at), value))


cdef object frozen(object buf, const uint8_t **data, Py_ssize_t *length):
    """Like hold(), but memory that can change is copied: the owner is always bytes."""
    cdef object owner = hold(buf, data, length)
    cdef object copy
    if PyBytes_CheckExact(owner):
        return owner
    copy = PyBytes_FromStringAndSize(<const char *>data[0], length[0])
    data[0] = <const uint8_t *>PyBytes_AS_STRING(copy)
    return copy


def parse_recovery_ticket(buf, /):
    """A client's local record for resuming a session: (RecoveryTicketPrefix, token memoryview), wire.md section 9.

    Every failure, a short source included, is InvalidRecoveryTicket. buf is copied unless it is bytes.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length
    cdef nnrp_error error
    cdef uint64_t declared
    cdef const nnrp_layout *layout = &nnrp_layouts[NNRP_L_RECOVERY_TICKET_PREFIX]
    cdef object owner = frozen(buf, &data, &length)
    if nnrp_layout_check(layout, data, length, &error) != NNRP_OK:
        refuse(&error, 0)
    prefix = view_of(NNRP_L_RECOVERY_TICKET_PREFIX, owner, data)
    declared = <uint64_t>layout.size + <uint64_t>prefix.token_len
    if declared != <uint64_t>length:
        nnrp_breach_values(&error, NNRP_RULE_RECOVERY_TICKET_IS_EXACT, layout.size, declared, length)
        refuse(&error, 0)
    return prefix, region_view(owner, data + layout.size, length - layout.size)


def is_utf8(buf, /):
    """Whether buf is UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.

    What diagnostics and capability tokens are (wire.md sections 5 and 7). BufferError for a buffer that is not contiguous.
    """
    cdef const uint8_t *data
    cdef Py_ssize_t length
    cdef object owner = hold(buf, &data, &length)
    return nnrp_utf8_valid_prefix(data, length) == <size_t>length
