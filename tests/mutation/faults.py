"""Fifty small faults that a tired hand could make: (file, what stands there once, what would stand there, its harm).

`tools/mutate.py` puts one after the other into a copy of the tree and asks the tests. A fault that no test notices is
either a test to write or no fault at all. When a source changes under an entry, test_faults.py says so: give it a new
place.
"""

from __future__ import annotations

CORE = "csrc/src/"
WIRE = "src/nnrp_wire/wire/"

FAULTS: list[tuple[str, str, str, str]] = [
    # The core: headers, lengths, scanning.
    (
        CORE + "packet.c",
        "if (packet->total > limit) {",
        "if (packet->total >= limit) {",
        "a packet of exactly the limit is refused",
    ),
    (
        CORE + "packet.c",
        "if (rest > UINT32_MAX ||",
        "if (rest >= UINT32_MAX ||",
        "lengths that add up to exactly 2^32 - 1 are refused",
    ),
    (
        CORE + "packet.c",
        "if (packet->meta_len >= message->meta_len && nnrp_hot_layout_holds(message->layout, source + HEADER)) {",
        "if (nnrp_hot_layout_holds(message->layout, source + HEADER)) {",
        "straight-line checks read behind a metadata that is too short",
    ),
    (
        CORE + "packet.c",
        "        status = nnrp_packet_measure(source, UINT64_MAX, packet, error);",
        "        status = nnrp_packet_measure(source, limit, packet, error);",
        "the limit speaks before the length that is there (wire.md section 2)",
    ),
    (
        CORE + "packet.c",
        "status == NNRP_OK && strict && !nnrp_hot_sender_holds",
        "status == NNRP_OK && !nnrp_hot_sender_holds",
        "a tolerant receiver obeys the sender's rules",
    ),
    (
        CORE + "packet.c",
        "    uint64_t declared = 0;",
        "    uint32_t declared = 0;",
        "lengths of tails wrap to the length of the body",
    ),
    (
        CORE + "packet.c",
        "fill_row(&rows[n++], header, at);",
        "fill_row(&rows[n++], source + at, at);",
        "a scan reads a header again after it was judged",
    ),
    (
        CORE + "packet.c",
        "error->offset += at;",
        "error->offset += 0;",
        "a scan reports where in the packet, not where in the buffer",
    ),
    # The core: rules of the table.
    (
        CORE + "check.c",
        "return (nnrp_load_u16(p) ^ 0x8000u) - (uint64_t)0x8000u;",
        "return nnrp_load_u16(p);",
        "a negative priority is a large one",
    ),
    (
        CORE + "check.c",
        "return v >= node->a && v <= node->b;",
        "return v >= node->a && v < node->b;",
        "the upper end of a range is refused",
    ),
    (
        CORE + "check.c",
        "return v < 256 && (nnrp_sets",
        "return (nnrp_sets",
        "a large enum value is looked up behind the end of its set",
    ),
    (
        CORE + "check.c",
        "for (unsigned i = 0; i < rule->message_count; i++) {",
        "for (unsigned i = 1; i < rule->message_count; i++) {",
        "a rule forgets the first of the messages it is for",
    ),
    (
        CORE + "check.c",
        "nnrp_breach_values(error, rule, base + field_offset, expected, found);",
        "nnrp_breach_values(error, rule, base, expected, found);",
        "an error points at the start of the layout instead of at its field",
    ),
    (
        CORE + "hot_generated.h",
        "((nnrp_load_u32(p + 8) & ~0x3fu) == 0)",
        "((nnrp_load_u32(p + 8) & ~0x7fu) == 0)",
        "the straight-line header check lets an unknown flag through",
    ),
    (
        CORE + "hot_generated.h",
        "(nnrp_load_u8(p + 14) <= 3u)",
        "(nnrp_load_u8(p + 14) <= 4u)",
        "the straight-line check of a submit accepts a tile index mode that nobody knows",
    ),
    (
        "schema/wire.json",
        '"field": "percent_x100", "min": 0, "max": 10000,',
        '"field": "percent_x100", "min": 0, "max": 10001,',
        "the table lets an operation be done by more than all of it",
    ),
    # The core: tile indices and text.
    (
        CORE + "tile_index.c",
        "if (i != 0 && step == 0) {",
        "if (step == 0) {",
        "delta_u16 cannot start at tile 0",
    ),
    (
        CORE + "tile_index.c",
        "if (length > (UINT16_MAX + 1u) / 8) {",
        "if (length >= (UINT16_MAX + 1u) / 8) {",
        "a bitset that reaches tile 65535 is refused",
    ),
    (
        CORE + "tile_index.c",
        "count - 1 > UINT32_MAX - base",
        "count > UINT32_MAX - base",
        "the dense range cannot end at the last id",
    ),
    (
        CORE + "tile_index.c",
        "mode == NNRP_TILE_INDEX_MODE_BITSET ? NNRP_RULE_TILE_BITSET_ASCENDS",
        "mode != NNRP_TILE_INDEX_MODE_BITSET ? NNRP_RULE_TILE_BITSET_ASCENDS",
        "an error names the rule of the other coding",
    ),
    (
        CORE + "utf8.c",
        "low = lead == 0xe0 ? 0xa0 : 0x80;",
        "low = lead == 0xe0 ? 0x90 : 0x80;",
        "overlong forms of U+0400 to U+07FF pass",
    ),
    (
        CORE + "utf8.c",
        "while (length - at >= sizeof word) {",
        "while (length - at + 1 >= sizeof word) {",
        "the fast path over ASCII reads one byte too far",
    ),
    # The core: bodies.
    (
        CORE + "body.c",
        "if (sum > UINT32_MAX && (status == NNRP_OK || status == NNRP_E_INVALID_PROTOCOL_COMBINATION)) {",
        "if (sum > UINT32_MAX && status == NNRP_OK) {",
        "an overflow of the regions hides behind a rule about one of them",
    ),
    (
        CORE + "body.c",
        "if (sum + NNRP_BODY_REGION_PRELUDE_SIZE != body_len) {",
        "if (sum + NNRP_BODY_REGION_PRELUDE_SIZE > body_len) {",
        "bytes behind the last region pass unread",
    ),
    (
        CORE + "body.c",
        "*bytes = region.length == 0 ? cut->body : nnrp_cut_lend(cut, region.at, region.length);",
        "*bytes = cut->body + region.at;",
        "descriptors are judged in memory that a writer can change afterwards",
    ),
    (
        CORE + "body_objects.c",
        "if (cut->present >= slot) {",
        "if (cut->present > slot) {",
        "the last standard object may come twice",
    ),
    (
        CORE + "body_objects.c",
        "if ((uint64_t)object.payload.length + pad > room) {",
        "if (object.payload.length > room) {",
        "the padding of the last object may stand outside of its region",
    ),
    (
        CORE + "body_objects.c",
        "if (frame->is_submit && found->camera.length != frame->camera_bytes) {",
        "if (found->camera.length != frame->camera_bytes) {",
        "a result with a camera is refused",
    ),
    (
        CORE + "body_sections.c",
        "if ((int64_t)role <= *last_role) {",
        "if ((int64_t)role < *last_role) {",
        "two sections may have one role",
    ),
    (
        CORE + "body_sections.c",
        "    uint64_t sum = 0;",
        "    uint32_t sum = 0;",
        "lengths of tiles wrap to the length of the payload, and tiles reach out of it",
    ),
    (
        CORE + "body_regions.c",
        "    if (kinds != (payload_kind_bitmap & ~NNRP_PAYLOAD_KIND_BITMAP_TENSOR)) {",
        "    if ((kinds & ~payload_kind_bitmap) != 0) {",
        "the bitmap may name kinds that no payload has",
    ),
    (
        CORE + "body_regions.c",
        "    if ((uint64_t)out->value_length + pad > room) {",
        "    if (out->value_length + pad > room) {",
        "the length of a control extension wraps with its padding",
    ),
    (
        CORE + "columns.c",
        "memcpy(destination, head + HEADER, layout->size);",
        "memcpy(destination, source + HEADER, layout->size);",
        "what is gathered is read again after it was judged",
    ),
    # The codec: who owns memory, and how often it is read.
    (
        WIRE + "_memory.pxi",
        "            Py_INCREF(owner);\n",
        "",
        "a view does not keep its memory alive",
    ),
    (
        WIRE + "_memory.pxi",
        "            PyBuffer_Release(&self.view)\n",
        "            pass\n",
        "a bytearray can never be resized again",
    ),
    (
        WIRE + "_memory.pxi",
        "return at if at < length else length",
        "return at",
        "a position behind the end leads out of the buffer",
    ),
    (
        WIRE + "_memory.pxi",
        "PyBUF_SIMPLE | PyBUF_WRITABLE",
        "PyBUF_SIMPLE",
        "a builder writes into bytes",
    ),
    (
        WIRE + "_packet.pxi",
        "    memcpy(PyBytes_AS_STRING(head), header, NNRP_COMMON_HEADER_SIZE)",
        "    memcpy(PyBytes_AS_STRING(head), data, NNRP_COMMON_HEADER_SIZE)",
        "a header is read again after it was judged",
    ),
    (
        WIRE + "_packet.pxi",
        " and PyBytes_GET_SIZE(self._head) == <Py_ssize_t>self._info.total:",
        ":",
        "the first packet of a buffer gives the whole buffer as its bytes",
    ),
    (
        WIRE + "_body.pxi",
        "return self._copies.get(span.at, NOTHING)",
        "return NOTHING",
        "views of a body lose the copies they read when the body goes",
    ),
    (
        WIRE + "_body.pxi",
        "at += self._stride if self._stride != 0 else length",
        "at += length",
        "tiles of a fixed stride are read as if packed",
    ),
    (
        WIRE + "_members.pxi",
        "if self.is_flag and value & ~self.known == 0:",
        "if self.is_flag:",
        "unknown bits become flags, and each new combination is kept for ever",
    ),
    (
        WIRE + "_entries.pxi",
        "range(base, <uint64_t>base + count)",
        "range(base, <uint32_t>(base + count))",
        "the dense range that ends at the last id is empty",
    ),
    # The codec: streams, errors, builders.
    (
        WIRE + "_reader.pxi",
        "if self._at == self._end and self._next == <size_t>len(self._queue):\n            self._take(chunk)",
        "if self._at == self._end:\n            self._take(chunk)",
        "a chunk overtakes those that wait",
    ),
    (
        WIRE + "_reader.pxi",
        "self._error.offset += self._offset",
        "self._error.offset += 0",
        "a broken stream reports an offset in the packet instead of in the stream",
    ),
    (
        WIRE + "_faults.pxi",
        "STAGES[NNRP_STAGE_BODY if in_body else rule.stage]",
        "STAGES[rule.stage]",
        "a descriptor's own rule is reported as one of the packet's metadata",
    ),
    (
        WIRE + "_checks.pxi",
        "NNRP_RULE_RECOVERY_TICKET_IS_EXACT",
        "NNRP_RULE_PACKET_IS_EXACT",
        "a bad recovery ticket raises the class of a bad packet",
    ),
    (
        WIRE + "_slot.pxi",
        "        packet = build_result_push(payloads, **self._place(), **options)\n        self.finished = True\n",
        "        self.finished = True\n        packet = build_result_push(payloads, **self._place(), **options)\n",
        "a result that could not be built ends its operation all the same",
    ),
    (
        WIRE + "_assembly.py",
        "if size <= COPY_THRESHOLD_BYTES:",
        "if size < COPY_THRESHOLD_BYTES:",
        "a payload of exactly the threshold is not copied",
    ),
    (
        WIRE + "_tensor.py",
        "listed = self._listed and list(self.tile_ids) != list(dense)",
        "listed = self._listed",
        "a result lists the ids of a dense range",
    ),
]
