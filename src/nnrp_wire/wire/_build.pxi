# Builders of whole packets. What is built is judged by the same checks a receiver runs: message, sender and body stage.
# The common cases (one typed payload, a partial result) are written straight into the packet's bytes; everything else is
# put together from parts in _assembly.py.

COPY_THRESHOLD_BYTES = NNRP_COPY_THRESHOLD_BYTES

# Defaults of the builders, as the plain numbers of their members.
cdef object RAW_U16 = int(_enums.TileIndexMode.RAW_U16)
cdef object INHERIT_SESSION = int(_enums.LossTolerancePolicy.INHERIT_SESSION)
cdef object STRUCTURED_EVENT = int(_enums.PayloadKind.STRUCTURED_EVENT)
cdef object SNAPSHOT = int(_enums.StreamSemantics.SNAPSHOT)


cdef size_t field_number(size_t layout, str name) except? 0xffff:
    return nnrp_layouts[layout].first_field + <size_t>FIELD_NUMBERS[layout][name]


cdef size_t F_MESSAGE_TYPE = field_number(NNRP_L_COMMON_HEADER, "message_type")
cdef size_t F_FLAGS = field_number(NNRP_L_COMMON_HEADER, "flags")
cdef size_t F_SESSION_ID = field_number(NNRP_L_COMMON_HEADER, "session_id")
cdef size_t F_FRAME_ID = field_number(NNRP_L_COMMON_HEADER, "frame_id")
cdef size_t F_VIEW_ID = field_number(NNRP_L_COMMON_HEADER, "view_id")
cdef size_t F_ROUTE_ID = field_number(NNRP_L_COMMON_HEADER, "route_id")
cdef size_t F_TRACE_ID = field_number(NNRP_L_COMMON_HEADER, "trace_id")


cdef int fill_routing(nnrp_routing *routing, object session_id, object frame_id, object flags, object view_id,
                      object route_id, object trace_id) except -1:
    routing.session_id = <uint32_t>unsigned_value(session_id, &nnrp_fields[F_SESSION_ID])
    routing.frame_id = <uint32_t>unsigned_value(frame_id, &nnrp_fields[F_FRAME_ID])
    routing.flags = <uint32_t>unsigned_value(flags, &nnrp_fields[F_FLAGS])
    routing.view_id = <uint16_t>unsigned_value(view_id, &nnrp_fields[F_VIEW_ID])
    routing.route_id = <uint16_t>unsigned_value(route_id, &nnrp_fields[F_ROUTE_ID])
    routing.trace_id = unsigned_value(trace_id, &nnrp_fields[F_TRACE_ID])
    return 0


cdef int check_lengths(uint64_t meta_len, uint64_t body_len, uint64_t limit) except -1:
    """A packet of these lengths can be said and is within the limit, before anything is allocated for it."""
    cdef nnrp_error error
    if meta_len + body_len > 0xffffffff:
        nnrp_breach_field(&error, NNRP_RULE_PACKET_LENGTHS_FIT_U32, 0, NNRP_L_COMMON_HEADER,
                          NNRP_COMMON_HEADER_AT_BODY_LEN, 0xffffffff, meta_len + body_len)
        refuse(&error, 0)
    if NNRP_COMMON_HEADER_SIZE + meta_len + body_len > limit:
        nnrp_breach_field(&error, NNRP_RULE_PACKET_WITHIN_LIMIT, 0, NNRP_L_COMMON_HEADER, NNRP_COMMON_HEADER_AT_BODY_LEN,
                          limit, NNRP_COMMON_HEADER_SIZE + meta_len + body_len)
        refuse(&error, 0)
    return 0


cdef int head_status(const uint8_t *head, bint whole_message, nnrp_packet *info, nnrp_error *error) noexcept:
    """Header and metadata at head: layout stage, and for a whole message the message and sender stages."""
    cdef int status = nnrp_header_check(head, NNRP_COMMON_HEADER_SIZE, error)
    if status == NNRP_OK:
        status = nnrp_packet_measure(head, 0xffffffffffffffff, info, error)
    if status == NNRP_OK:
        status = nnrp_metadata_check(head, info, error)
    if status == NNRP_OK and whole_message:
        status = nnrp_message_check(head, info, True, error)
    return status


cdef int check_head(const uint8_t *head, bint whole_message) except -1:
    cdef nnrp_packet info
    cdef nnrp_error error
    if head_status(head, whole_message, &info, &error) != NNRP_OK:
        refuse(&error, 0)
    return 0


def build_head(message_type, metadata, body_len, /, whole_message, *, session_id=0, frame_id=0, flags=0, view_id=0,
               route_id=0, trace_id=0, max_packet_bytes=DEFAULT_LIMIT):
    """Header and metadata of a packet whose body has body_len bytes, checked; what _assembly.py starts every packet with."""
    cdef nnrp_routing routing
    cdef const uint8_t *data = ZEROES
    cdef Py_ssize_t meta_len = 0
    cdef object head, owner = None
    cdef uint8_t *out
    cdef uint64_t code = unsigned_value(message_type, &nnrp_fields[F_MESSAGE_TYPE])
    fill_routing(&routing, session_id, frame_id, flags, view_id, route_id, trace_id)
    if metadata is not None:
        owner = hold(metadata, &data, &meta_len)
    check_lengths(meta_len, body_len, limit_of(max_packet_bytes))
    head = PyBytes_FromStringAndSize(NULL, NNRP_COMMON_HEADER_SIZE + meta_len)
    out = <uint8_t *>PyBytes_AS_STRING(head)
    nnrp_header_write(out, <uint8_t>code, &routing, <uint32_t>meta_len, <uint32_t>body_len)
    memcpy(out + NNRP_COMMON_HEADER_SIZE, data, meta_len)
    check_head(out, whole_message)
    return head


@cython.final
@cython.freelist(16)
cdef class TypedPayload:
    """One typed payload frame to be built: a bytes-like payload and what its descriptor says (wire.md section 6.4.5).

    The defaults are an unbound structured event: profile 0, schema 0/0, snapshot semantics. The payload is taken by
    reference and read when the packet is built.
    """

    cdef readonly object payload
    cdef uint8_t descriptor[NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE]

    def __init__(self, payload, payload_kind=STRUCTURED_EVENT, /, *, profile_id=0, schema_id=0, schema_version=0,
                 stream_semantics=SNAPSHOT,
                 descriptor_flags=0):
        cdef uint8_t *d = self.descriptor
        cdef const nnrp_field *fields = &nnrp_fields[nnrp_layouts[NNRP_L_TYPED_PAYLOAD_DESCRIPTOR].first_field]
        self.payload = payload
        memset(d, 0, NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE)
        nnrp_store_u16(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PROFILE_ID,
                       <uint32_t>unsigned_value(profile_id, fields))
        nnrp_store_u8(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND,
                      <uint32_t>unsigned_value(payload_kind, fields + 1))
        nnrp_store_u8(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_DESCRIPTOR_FLAGS,
                      <uint32_t>unsigned_value(descriptor_flags, fields + 2))
        nnrp_store_u32(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_SCHEMA_ID,
                       <uint32_t>unsigned_value(schema_id, fields + 3))
        nnrp_store_u32(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_SCHEMA_VERSION,
                       <uint32_t>unsigned_value(schema_version, fields + 4))
        nnrp_store_u16(d + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_STREAM_SEMANTICS,
                       <uint32_t>unsigned_value(stream_semantics, fields + 5))

    @property
    def payload_kind(self):
        """The payload kind as a number."""
        return nnrp_load_u8(self.descriptor + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND)

    def descriptor_at(self, offset, length, /):
        """The TypedPayloadDescriptor for a frame region where this payload stands at offset; raises for a breach."""
        cdef uint8_t copy[NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE]
        cdef nnrp_error error
        cdef const nnrp_layout *layout = &nnrp_layouts[NNRP_L_TYPED_PAYLOAD_DESCRIPTOR]
        memcpy(copy, self.descriptor, sizeof(copy))
        nnrp_store_u32(copy + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_OFFSET, u32_value(offset, "offset"))
        nnrp_store_u32(copy + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_LENGTH, u32_value(length, "length"))
        if nnrp_layout_check(layout, copy, sizeof(copy), &error) != NNRP_OK:
            refuse(&error, 0)
        return built_view(TypedPayloadDescriptor, layout, copy)

    def __repr__(self):
        return f"<TypedPayload payload_kind={self.payload_kind} of {type(self.payload).__name__}>"

    def __reduce__(self):
        raise TypeError("TypedPayload cannot be pickled")


cdef tuple EMPTY = ()  # what the builders' sequence arguments are by default: one object in all of Python
cdef TypedPayload DEFAULT_PAYLOAD = TypedPayload(NOTHING)


cdef inline const uint8_t *descriptor_of(object payloads) noexcept:
    """The descriptor of a single payload: its own, or for plain bytes that of an unbound structured event."""
    cdef TypedPayload item = DEFAULT_PAYLOAD if PyBytes_CheckExact(payloads) else <TypedPayload>payloads
    return &item.descriptor[0]


cdef object one_typed_packet(uint8_t code, const nnrp_routing *routing, const uint8_t *metadata, uint32_t meta_len,
                             object payloads, uint64_t limit):
    """A packet with a single typed payload (bytes or a TypedPayload); metadata is complete, bitmap and count included."""
    cdef const uint8_t *payload
    cdef Py_ssize_t length
    cdef object packet
    cdef uint8_t *out
    cdef uint8_t *prelude
    cdef uint8_t *descriptor
    cdef nnrp_error error
    cdef object owner = hold(
        payloads if PyBytes_CheckExact(payloads) else (<TypedPayload>payloads).payload, &payload, &length
    )
    cdef uint64_t body_len = NNRP_BODY_REGION_PRELUDE_SIZE + NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE + <uint64_t>length
    check_lengths(meta_len, body_len, limit)
    packet = PyBytes_FromStringAndSize(NULL, NNRP_COMMON_HEADER_SIZE + meta_len + body_len)
    out = <uint8_t *>PyBytes_AS_STRING(packet)
    nnrp_header_write(out, code, routing, meta_len, <uint32_t>body_len)
    memcpy(out + NNRP_COMMON_HEADER_SIZE, metadata, meta_len)
    prelude = out + NNRP_COMMON_HEADER_SIZE + meta_len
    memset(prelude, 0, NNRP_BODY_REGION_PRELUDE_SIZE)
    nnrp_store_u32(prelude + NNRP_BODY_REGION_PRELUDE_AT_TYPED_PAYLOAD_DESCRIPTOR_BYTES, NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE)
    nnrp_store_u32(prelude + NNRP_BODY_REGION_PRELUDE_AT_TYPED_PAYLOAD_FRAME_BYTES, <uint32_t>length)
    descriptor = prelude + NNRP_BODY_REGION_PRELUDE_SIZE
    memcpy(descriptor, descriptor_of(payloads), NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE)
    nnrp_store_u32(descriptor + NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_LENGTH, <uint32_t>length)
    memcpy(descriptor + NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE, payload, length)
    check_head(out, True)
    if nnrp_typed_region_check(descriptor, NNRP_TYPED_PAYLOAD_DESCRIPTOR_SIZE, length,
                               descriptor[NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND], 1, &error) != NNRP_OK:
        refuse_body(&error, descriptor - out)
    return packet


cdef inline uint64_t submit_value(object value, size_t number) except? 0xfff1:
    return unsigned_value(value, &nnrp_fields[number])


cdef inline uint64_t result_value(object value, size_t number) except? 0xfff1:
    return unsigned_value(value, &nnrp_fields[number])


cdef size_t S_FRAME_CLASS = field_number(NNRP_L_FRAME_SUBMIT, "frame_class")
cdef size_t S_TILE_INDEX_MODE = field_number(NNRP_L_FRAME_SUBMIT, "tile_index_mode")
cdef size_t S_LATENCY_BUDGET_MS = field_number(NNRP_L_FRAME_SUBMIT, "latency_budget_ms")
cdef size_t S_TARGET_FPS_X100 = field_number(NNRP_L_FRAME_SUBMIT, "target_fps_x100")
cdef size_t S_RETRY_OF_FRAME = field_number(NNRP_L_FRAME_SUBMIT, "retry_of_frame")
cdef size_t S_OPERATION_ID = field_number(NNRP_L_FRAME_SUBMIT, "operation_id")
cdef size_t S_BUDGET_POLICY = field_number(NNRP_L_FRAME_SUBMIT, "budget_policy")
cdef size_t S_LOSS_TOLERANCE_POLICY = field_number(NNRP_L_FRAME_SUBMIT, "loss_tolerance_policy")
cdef size_t S_DEPENDENCY_FRAME_ID = field_number(NNRP_L_FRAME_SUBMIT, "dependency_frame_id")
cdef size_t R_STATUS_CODE = field_number(NNRP_L_RESULT_PUSH, "status_code")
cdef size_t R_RESULT_FLAGS = field_number(NNRP_L_RESULT_PUSH, "result_flags")
cdef size_t R_ACTIVE_PROFILE_ID = field_number(NNRP_L_RESULT_PUSH, "active_profile_id")
cdef size_t R_INFERENCE_MS = field_number(NNRP_L_RESULT_PUSH, "inference_ms")
cdef size_t R_QUEUE_MS = field_number(NNRP_L_RESULT_PUSH, "queue_ms")
cdef size_t R_SERVER_TOTAL_MS = field_number(NNRP_L_RESULT_PUSH, "server_total_ms")
cdef size_t R_RESULT_CLASS = field_number(NNRP_L_RESULT_PUSH, "result_class")
cdef size_t R_APPLIED_BUDGET_POLICY = field_number(NNRP_L_RESULT_PUSH, "applied_budget_policy")
cdef size_t R_REUSED_FRAME_ID = field_number(NNRP_L_RESULT_PUSH, "reused_frame_id")
cdef size_t P_OPERATION_ID = field_number(NNRP_L_PARTIAL_RESULT, "operation_id")
cdef size_t P_RESULT_SEQUENCE = field_number(NNRP_L_PARTIAL_RESULT, "result_sequence")
cdef size_t P_OBJECT_ID = field_number(NNRP_L_PARTIAL_RESULT, "object_id")
cdef size_t P_DELTA_SEQUENCE = field_number(NNRP_L_PARTIAL_RESULT, "delta_sequence")
cdef size_t P_FLAGS = field_number(NNRP_L_PARTIAL_RESULT, "flags")


def build_frame_submit(payloads=(), /, *, session_id, frame_id, operation_id, frame_class=0, tile_index_mode=RAW_U16,
                       latency_budget_ms=0, target_fps_x100=0, retry_of_frame=0, budget_policy=0,
                       loss_tolerance_policy=INHERIT_SESSION, dependency_frame_id=0, tensor=None, objects=(), references=(),
                       extensions=(), flags=0, view_id=0, route_id=0, trace_id=0,
                       max_packet_bytes=DEFAULT_LIMIT, _finish=None):
    """A whole FRAME_SUBMIT packet as bytes (wire.md sections 6.1 and 6.4).

    payloads: bytes (one unbound structured event, as TypedPayload makes of them by default), one TypedPayload, or a
    sequence of those (or of (TypedPayloadDescriptor, payload) pairs as a parsed body has).
    tensor: a Tensor. objects: further inline objects as (kind, payload). references: ObjectReferenceBlocks. extensions:
    Extensions. The counters, bitmaps, lengths, submit_mode and object_ref_mask of the metadata follow from them.

    latency_budget_ms is in milliseconds, target_fps_x100 in hundredths of a frame per second. tile_index_mode is raw_u16
    unless given, as a typed submit carries it; loss_tolerance_policy inherits the session's.

    Raises the WireError a strict receiver would raise for the packet, FrameTooLarge above max_packet_bytes,
    FieldOutOfRange, and BufferError for a payload that is not contiguous.
    """
    cdef uint8_t m[NNRP_FRAME_SUBMIT_SIZE]
    cdef nnrp_routing routing
    if (
        not (PyBytes_CheckExact(payloads) or type(payloads) is TypedPayload) or _finish is not None
        or tensor is not None or objects is not EMPTY or references is not EMPTY or extensions is not EMPTY
    ):
        from . import _assembly
        return (_finish or _assembly.joined)(
            _assembly.frame_submit_parts(
                payloads, session_id=session_id, frame_id=frame_id, operation_id=operation_id, frame_class=frame_class,
                tile_index_mode=tile_index_mode, latency_budget_ms=latency_budget_ms, target_fps_x100=target_fps_x100,
                retry_of_frame=retry_of_frame, budget_policy=budget_policy, loss_tolerance_policy=loss_tolerance_policy,
                dependency_frame_id=dependency_frame_id, tensor=tensor, objects=objects, references=references,
                extensions=extensions, flags=flags, view_id=view_id, route_id=route_id, trace_id=trace_id,
                max_packet_bytes=max_packet_bytes,
            )
        )
    memset(m, 0, sizeof(m))
    m[NNRP_FRAME_SUBMIT_AT_FRAME_CLASS] = <uint8_t>submit_value(frame_class, S_FRAME_CLASS)
    m[NNRP_FRAME_SUBMIT_AT_TILE_INDEX_MODE] = <uint8_t>submit_value(tile_index_mode, S_TILE_INDEX_MODE)
    nnrp_store_u16(m + NNRP_FRAME_SUBMIT_AT_LATENCY_BUDGET_MS, <uint32_t>submit_value(latency_budget_ms, S_LATENCY_BUDGET_MS))
    nnrp_store_u16(m + NNRP_FRAME_SUBMIT_AT_TARGET_FPS_X100, <uint32_t>submit_value(target_fps_x100, S_TARGET_FPS_X100))
    nnrp_store_u32(m + NNRP_FRAME_SUBMIT_AT_RETRY_OF_FRAME, <uint32_t>submit_value(retry_of_frame, S_RETRY_OF_FRAME))
    nnrp_store_u64(m + NNRP_FRAME_SUBMIT_AT_OPERATION_ID, submit_value(operation_id, S_OPERATION_ID))
    m[NNRP_FRAME_SUBMIT_AT_BUDGET_POLICY] = <uint8_t>submit_value(budget_policy, S_BUDGET_POLICY)
    m[NNRP_FRAME_SUBMIT_AT_LOSS_TOLERANCE_POLICY] = <uint8_t>submit_value(loss_tolerance_policy, S_LOSS_TOLERANCE_POLICY)
    nnrp_store_u32(m + NNRP_FRAME_SUBMIT_AT_DEPENDENCY_FRAME_ID,
                   <uint32_t>submit_value(dependency_frame_id, S_DEPENDENCY_FRAME_ID))
    nnrp_store_u32(m + NNRP_FRAME_SUBMIT_AT_PAYLOAD_KIND_BITMAP,
                   descriptor_of(payloads)[NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND])
    nnrp_store_u16(m + NNRP_FRAME_SUBMIT_AT_PAYLOAD_FRAME_COUNT, 1)
    fill_routing(&routing, session_id, frame_id, flags, view_id, route_id, trace_id)
    return one_typed_packet(NNRP_MT_FRAME_SUBMIT, &routing, m, NNRP_FRAME_SUBMIT_SIZE, payloads,
                            limit_of(max_packet_bytes))


def build_result_push(payloads=(), /, *, session_id, frame_id, status_code=0, result_flags=0, active_profile_id=0,
                      inference_ms=0, queue_ms=0, server_total_ms=0, result_class=0, applied_budget_policy=0,
                      reused_frame_id=0, covered_tile_count=None, dropped_tile_count=0, tensor=None, objects=(),
                      references=(), extensions=(), flags=0, view_id=0, route_id=0, trace_id=0,
                      max_packet_bytes=DEFAULT_LIMIT, _finish=None):
    """A whole RESULT_PUSH packet as bytes (wire.md sections 6.2 and 6.4); without anything to say, the empty success.

    payloads, tensor, objects, references and extensions as in build_frame_submit; *_ms in milliseconds. covered_tile_count
    is what is not dropped unless given. The rules a sender obeys (stale and partial, section 6.2) are enforced; raises as
    build_frame_submit.
    """
    cdef uint8_t m[NNRP_RESULT_PUSH_SIZE]
    cdef nnrp_routing routing
    if (
        not (PyBytes_CheckExact(payloads) or type(payloads) is TypedPayload) or _finish is not None
        or tensor is not None or objects is not EMPTY or references is not EMPTY or extensions is not EMPTY
    ):
        from . import _assembly
        return (_finish or _assembly.joined)(
            _assembly.result_push_parts(
                payloads, session_id=session_id, frame_id=frame_id, status_code=status_code, result_flags=result_flags,
                active_profile_id=active_profile_id, inference_ms=inference_ms, queue_ms=queue_ms,
                server_total_ms=server_total_ms, result_class=result_class, applied_budget_policy=applied_budget_policy,
                reused_frame_id=reused_frame_id, covered_tile_count=covered_tile_count,
                dropped_tile_count=dropped_tile_count, tensor=tensor, objects=objects, references=references,
                extensions=extensions, flags=flags, view_id=view_id, route_id=route_id, trace_id=trace_id,
                max_packet_bytes=max_packet_bytes,
            )
        )
    memset(m, 0, sizeof(m))
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_STATUS_CODE, <uint32_t>result_value(status_code, R_STATUS_CODE))
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_RESULT_FLAGS, <uint32_t>result_value(result_flags, R_RESULT_FLAGS))
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_ACTIVE_PROFILE_ID, <uint32_t>result_value(active_profile_id, R_ACTIVE_PROFILE_ID))
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_INFERENCE_MS, <uint32_t>result_value(inference_ms, R_INFERENCE_MS))
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_QUEUE_MS, <uint32_t>result_value(queue_ms, R_QUEUE_MS))
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_SERVER_TOTAL_MS, <uint32_t>result_value(server_total_ms, R_SERVER_TOTAL_MS))
    m[NNRP_RESULT_PUSH_AT_RESULT_CLASS] = <uint8_t>result_value(result_class, R_RESULT_CLASS)
    m[NNRP_RESULT_PUSH_AT_APPLIED_BUDGET_POLICY] = <uint8_t>result_value(applied_budget_policy, R_APPLIED_BUDGET_POLICY)
    nnrp_store_u32(m + NNRP_RESULT_PUSH_AT_REUSED_FRAME_ID, <uint32_t>result_value(reused_frame_id, R_REUSED_FRAME_ID))
    if covered_tile_count is not None or dropped_tile_count:
        store_field(&nnrp_layouts[NNRP_L_RESULT_PUSH], m, "covered_tile_count", covered_tile_count or 0)
        store_field(&nnrp_layouts[NNRP_L_RESULT_PUSH], m, "dropped_tile_count", dropped_tile_count)
    nnrp_store_u32(m + NNRP_RESULT_PUSH_AT_PAYLOAD_KIND_BITMAP,
                   descriptor_of(payloads)[NNRP_TYPED_PAYLOAD_DESCRIPTOR_AT_PAYLOAD_KIND])
    nnrp_store_u16(m + NNRP_RESULT_PUSH_AT_PAYLOAD_FRAME_COUNT, 1)
    fill_routing(&routing, session_id, frame_id, flags, view_id, route_id, trace_id)
    return one_typed_packet(NNRP_MT_RESULT_PUSH, &routing, m, NNRP_RESULT_PUSH_SIZE, payloads,
                            limit_of(max_packet_bytes))


cdef void write_partial_head(uint8_t *out, const nnrp_routing *routing, uint64_t operation_id, uint64_t sequence,
                             uint64_t object_id, uint64_t delta_sequence, uint32_t partial_flags,
                             uint32_t body_bytes) noexcept:
    cdef uint8_t *m = out + NNRP_COMMON_HEADER_SIZE
    nnrp_header_write(out, NNRP_MT_PARTIAL_RESULT, routing, NNRP_PARTIAL_RESULT_SIZE, body_bytes)
    nnrp_store_u64(m + NNRP_PARTIAL_RESULT_AT_OPERATION_ID, operation_id)
    nnrp_store_u64(m + NNRP_PARTIAL_RESULT_AT_RESULT_SEQUENCE, sequence)
    nnrp_store_u64(m + NNRP_PARTIAL_RESULT_AT_OBJECT_ID, object_id)
    nnrp_store_u64(m + NNRP_PARTIAL_RESULT_AT_DELTA_SEQUENCE, delta_sequence)
    nnrp_store_u32(m + NNRP_PARTIAL_RESULT_AT_BODY_BYTES, body_bytes)
    nnrp_store_u32(m + NNRP_PARTIAL_RESULT_AT_FLAGS, partial_flags)


cdef object partial_packet(const nnrp_routing *routing, uint64_t operation_id, uint64_t sequence, uint64_t object_id,
                           uint64_t delta_sequence, uint32_t partial_flags, object body, uint64_t limit):
    cdef const uint8_t *data
    cdef Py_ssize_t length
    cdef object owner = hold(body, &data, &length)
    cdef object packet
    cdef uint8_t *out
    check_lengths(NNRP_PARTIAL_RESULT_SIZE, length, limit)
    packet = PyBytes_FromStringAndSize(NULL, NNRP_COMMON_HEADER_SIZE + NNRP_PARTIAL_RESULT_SIZE + length)
    out = <uint8_t *>PyBytes_AS_STRING(packet)
    write_partial_head(out, routing, operation_id, sequence, object_id, delta_sequence, partial_flags, <uint32_t>length)
    check_head(out, True)
    memcpy(out + NNRP_COMMON_HEADER_SIZE + NNRP_PARTIAL_RESULT_SIZE, data, length)
    return packet


def build_partial_result(body=b"", /, *, session_id, frame_id, operation_id, result_sequence, object_id=0,
                         delta_sequence=0, partial_flags=0, flags=0, view_id=0, route_id=0, trace_id=0,
                         max_packet_bytes=DEFAULT_LIMIT, _finish=None):
    """A whole PARTIAL_RESULT packet as bytes (wire.md section 7); body is any contiguous buffer of application bytes.

    partial_flags are the PartialResultFlags of the metadata, flags those of the header. A per-token writer takes a
    ResultSlot instead. Raises as build_frame_submit.
    """
    cdef nnrp_routing routing
    if _finish is not None:
        from . import _assembly
        metadata = {
            "operation_id": operation_id, "result_sequence": result_sequence, "object_id": object_id,
            "delta_sequence": delta_sequence, "flags": partial_flags,
        }
        return _finish(
            _assembly.message_parts(
                NNRP_MT_PARTIAL_RESULT, metadata, (body,), session_id=session_id, frame_id=frame_id, flags=flags,
                view_id=view_id, route_id=route_id, trace_id=trace_id, max_packet_bytes=max_packet_bytes,
            )
        )
    fill_routing(&routing, session_id, frame_id, flags, view_id, route_id, trace_id)
    return partial_packet(
        &routing,
        unsigned_value(operation_id, &nnrp_fields[P_OPERATION_ID]),
        unsigned_value(result_sequence, &nnrp_fields[P_RESULT_SEQUENCE]),
        unsigned_value(object_id, &nnrp_fields[P_OBJECT_ID]),
        unsigned_value(delta_sequence, &nnrp_fields[P_DELTA_SEQUENCE]),
        <uint32_t>unsigned_value(partial_flags, &nnrp_fields[P_FLAGS]),
        body,
        limit_of(max_packet_bytes),
    )


def message_layout(message_type, /):
    """What _assembly.py asks of a message: (metadata layout name or None, length fields of its tails, body format).

    Raises UnknownMessageType.
    """
    cdef const nnrp_message *message
    cdef size_t i
    cdef uint64_t code = unsigned_value(message_type, &nnrp_fields[F_MESSAGE_TYPE])
    if nnrp_message_by_code[code] == 0xff:
        build_head(message_type, None, 0, False)  # refuses the code as a receiver does
    message = &nnrp_messages[nnrp_message_by_code[code]]
    if message.layout == NNRP_NONE:
        return None, (), BODY_FORMATS[message.body_format]
    fields = tuple(
        [
            nnrp_fields[nnrp_layouts[message.layout].first_field + message.tail_fields[i]].name.decode("ascii")
            for i in range(message.tail_count)
        ]
    )
    return nnrp_layouts[message.layout].name.decode("ascii"), fields, BODY_FORMATS[message.body_format]


cdef tuple BODY_FORMATS = ("tails", "data_plane", "opaque")


def check_tails(head, /):
    """The body stage of a message with declared tails, of which only header and metadata are there yet (as bytes)."""
    cdef nnrp_packet info
    cdef nnrp_error error
    cdef nnrp_span spans[NNRP_MAX_TAILS]
    cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(head)
    if nnrp_packet_measure(data, 0xffffffffffffffff, &info, &error) != NNRP_OK:
        refuse(&error, 0)
    if nnrp_tails_cut(data, &info, spans, &error) != NNRP_OK:
        refuse(&error, 0)


def check_typed(descriptors, frame_bytes, payload_kind_bitmap, payload_frame_count, /):
    """The rules of the typed regions over descriptors (bytes) and the length of a frame region that is not there yet."""
    cdef nnrp_error error
    if nnrp_typed_region_check(<const uint8_t *>PyBytes_AS_STRING(descriptors), PyBytes_GET_SIZE(descriptors),
                               <size_t>frame_bytes, <uint32_t>payload_kind_bitmap, <uint32_t>payload_frame_count,
                               &error) != NNRP_OK:
        refuse_body(&error, 0)


cdef dict BUILDER_RULES = {
    "object_order": NNRP_RULE_OBJECT_ORDER,
    "object_not_referenced_too": NNRP_RULE_OBJECT_NOT_REFERENCED_TOO,
    "section_table_present": NNRP_RULE_SECTION_TABLE_PRESENT,
    "section_role_order": NNRP_RULE_SECTION_ROLE_ORDER,
    "section_codec_table": NNRP_RULE_SECTION_CODEC_TABLE,
    "section_length_table": NNRP_RULE_SECTION_LENGTH_TABLE,
    "section_tile_within_stride": NNRP_RULE_SECTION_TILE_WITHIN_STRIDE,
}


def breach(rule, expected, found, /):
    """The exception for a procedural rule that a builder found broken before there were bytes to check."""
    cdef nnrp_error error
    nnrp_breach_values(&error, <uint16_t>BUILDER_RULES[rule], 0, expected, found)
    return fault(&error, 0)


def copy_into(buf, pos, parts, /):
    """Write parts, one behind the other, to buf[pos:]; returns the position behind them. What the *_into builders end in.

    buf is untouched when it is too short (DestinationTooShort).
    """
    cdef Py_buffer view
    cdef uint8_t *out
    cdef const uint8_t *data
    cdef Py_ssize_t at, length, total = 0
    cdef list held = []
    for part in parts:
        owner = hold(part, &data, &length)
        held.append((owner, <size_t>data, length))
        total += length
    out = writable(buf, &view)
    try:
        at = start_of(pos, view.len)
        if view.len - at < total:
            too_small(total, view.len - at)
        for _, start, length in held:
            memcpy(out + at, <const uint8_t *><size_t>start, length)
            at += length
    finally:
        PyBuffer_Release(&view)
    return at
