# What type checkers see of the module. The module itself puts its __all__ together, which mypy does not follow, and
# loads some classes late through __getattr__, which would hide misspelt names. stubtest holds these names against that
# __all__.
from typing import Final

from ..errors import *
from ._batch import *
from ._builders import *
from ._codec import (
    COPY_THRESHOLD_BYTES as COPY_THRESHOLD_BYTES,
    DEFAULT_MAX_PACKET_BYTES as DEFAULT_MAX_PACKET_BYTES,
    DataPlaneBody as DataPlaneBody,
    LayoutView as LayoutView,
    Packet as Packet,
    PacketReader as PacketReader,
    ResultSlot as ResultSlot,
    TensorSection as TensorSection,
    TypedPayload as TypedPayload,
    build_frame_submit as build_frame_submit,
    build_partial_result as build_partial_result,
    build_result_push as build_result_push,
    capability_entries as capability_entries,
    check_body as check_body,
    check_message as check_message,
    check_pair as check_pair,
    control_extensions as control_extensions,
    extension_region as extension_region,
    frame_submit_body as frame_submit_body,
    is_utf8 as is_utf8,
    iter_packets as iter_packets,
    message_tails as message_tails,
    parse_header as parse_header,
    parse_message as parse_message,
    parse_packet as parse_packet,
    parse_recovery_ticket as parse_recovery_ticket,
    patch_header as patch_header,
    payload_kind_bitmap as payload_kind_bitmap,
    payload_kinds as payload_kinds,
    reference_region as reference_region,
    result_push_body as result_push_body,
    tile_index_decode as tile_index_decode,
    tile_index_encode as tile_index_encode,
    typed_region as typed_region,
)
from ._enums_generated import *
from ._layouts_generated import *
from ._tables import FieldInfo as FieldInfo, RuleInfo as RuleInfo
from ._tensor import Extension as Extension, Section as Section, Tensor as Tensor

LAYOUTS: Final[tuple[str, ...]]
