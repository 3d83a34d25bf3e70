# What a per-token writer consumes.


cdef object SERVER = int(_enums.RuntimeRole.SERVER)


@cython.final
@cython.freelist(16)
cdef class ResultSlot:
    """The place of one operation's results: where they go, which sequence number is next, and whether they are over.

    A session hands it out, whoever has results fills it: any number of `partial_result`, then one terminal
    (`result_push`, `result_drop` or `result_drop_reason`). Afterwards every call raises SlotFinished. A packet that could
    not be built leaves the slot as it was. One slot belongs to one thread at a time.
    """

    cdef nnrp_routing _routing
    cdef bint _last    # the highest sequence number is used up
    cdef bint _sound   # the head below passed every check but for what changes from packet to packet
    cdef uint8_t _head[NNRP_COMMON_HEADER_SIZE + NNRP_PARTIAL_RESULT_SIZE]
    cdef readonly uint64_t operation_id
    """The operation the results belong to."""
    cdef readonly uint64_t next_sequence
    """result_sequence of the next partial result."""
    cdef readonly bint finished
    """Whether the terminal packet was built."""

    def __init__(self, session_id, operation_id, frame_id, /, *, next_sequence=1, trace_id=0, view_id=0, route_id=0):
        fill_routing(&self._routing, session_id, frame_id, 0, view_id, route_id, trace_id)
        self.operation_id = unsigned_value(operation_id, &nnrp_fields[P_OPERATION_ID])
        self.next_sequence = unsigned_value(next_sequence, &nnrp_fields[P_RESULT_SEQUENCE])
        self._prepare()

    cdef void _prepare(self) noexcept:
        """The head of a partial result with a body and neither object nor flags. A packet differs from it in two lengths
        and two sequence numbers, about which the only rule is that a body of no bytes needs an object."""
        cdef nnrp_packet info
        cdef nnrp_error error
        write_partial_head(self._head, &self._routing, self.operation_id, 0, 0, 0, 0, 1)
        self._sound = head_status(self._head, True, &info, &error) == NNRP_OK

    @property
    def session_id(self):
        """The session the packets are for."""
        return self._routing.session_id

    @property
    def frame_id(self):
        """The frame of the submit."""
        return self._routing.frame_id

    @property
    def trace_id(self):
        """Written into every packet's header."""
        return self._routing.trace_id

    cdef int _open(self) except -1:
        if self.finished:
            raise _errors.SlotFinished(f"operation {self.operation_id} has had its terminal result")
        return 0

    def partial_result(self, body=b"", /, *, object_id=0, partial_flags=0):
        """The next PARTIAL_RESULT packet as bytes; result_sequence and delta_sequence count up together."""
        cdef object packet
        self._open()
        if self._last:
            raise _errors.UsageError(f"operation {self.operation_id} has used its last result_sequence")
        if (
            self._sound and object_id is ZERO and partial_flags is ZERO and PyBytes_CheckExact(body)
            and 0 < PyBytes_GET_SIZE(body) <= NNRP_DEFAULT_MAX_PACKET_BYTES - <Py_ssize_t>sizeof(self._head)
        ):
            packet = self._next(body)
        else:
            packet = partial_packet(
                &self._routing,
                self.operation_id,
                self.next_sequence,
                unsigned_value(object_id, &nnrp_fields[P_OBJECT_ID]),
                self.next_sequence,
                <uint32_t>unsigned_value(partial_flags, &nnrp_fields[P_FLAGS]),
                body,
                NNRP_DEFAULT_MAX_PACKET_BYTES,
            )
        if self.next_sequence == 0xffffffffffffffff:
            self._last = True
        else:
            self.next_sequence += 1
        return packet

    cdef object _next(self, object body):
        """The next packet of the common kind: the prepared head, its four changing fields, the body."""
        cdef Py_ssize_t length = PyBytes_GET_SIZE(body)
        cdef object packet = PyBytes_FromStringAndSize(NULL, sizeof(self._head) + length)
        cdef uint8_t *out = <uint8_t *>PyBytes_AS_STRING(packet)
        cdef uint8_t *m = out + NNRP_COMMON_HEADER_SIZE
        memcpy(out, self._head, sizeof(self._head))
        nnrp_store_u32(out + NNRP_COMMON_HEADER_AT_BODY_LEN, <uint32_t>length)
        nnrp_store_u64(m + NNRP_PARTIAL_RESULT_AT_RESULT_SEQUENCE, self.next_sequence)
        nnrp_store_u64(m + NNRP_PARTIAL_RESULT_AT_DELTA_SEQUENCE, self.next_sequence)
        nnrp_store_u32(m + NNRP_PARTIAL_RESULT_AT_BODY_BYTES, <uint32_t>length)
        memcpy(m + NNRP_PARTIAL_RESULT_SIZE, PyBytes_AS_STRING(body), length)
        return packet

    def result_push(self, payloads=(), /, **options):
        """The terminal RESULT_PUSH packet as bytes (wire.md section 6.2); payloads and options as in build_result_push."""
        self._open()
        packet = build_result_push(payloads, **self._place(), **options)
        self.finished = True
        return packet

    def result_drop(self):
        """The terminal RESULT_DROP packet as bytes (wire.md section 6.3): dropped, without a reason."""
        self._open()
        packet = build_head(NNRP_MT_RESULT_DROP, None, 0, True, **self._place())
        self.finished = True
        return packet

    def result_drop_reason(self, drop_reason_code, diagnostic=b"", /, *, source_role=SERVER, drop_flags=0):
        """The terminal RESULT_DROP_REASON packet as bytes (wire.md section 7); source_role defaults to the server's."""
        from . import _assembly
        self._open()
        metadata = {
            "operation_id": self.operation_id,
            "result_sequence": self.next_sequence,
            "drop_reason_code": drop_reason_code,
            "source_role": source_role,
            "flags": drop_flags,
        }
        packet = _assembly.joined(
            _assembly.message_parts(NNRP_MT_RESULT_DROP_REASON, metadata, (diagnostic,), **self._place())
        )
        self.finished = True
        return packet

    cdef dict _place(self):
        return {
            "session_id": self._routing.session_id,
            "frame_id": self._routing.frame_id,
            "view_id": self._routing.view_id,
            "route_id": self._routing.route_id,
            "trace_id": self._routing.trace_id,
        }

    def __repr__(self):
        state = "finished" if self.finished else f"next_sequence={self.next_sequence}"
        return f"<ResultSlot session_id={self.session_id} operation_id={self.operation_id} frame_id={self.frame_id} {state}>"

    def __reduce__(self):
        raise TypeError("ResultSlot cannot be pickled")
