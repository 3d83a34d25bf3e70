# What the builders take by keyword, for type checkers alone: there is no such module at run time.
from collections.abc import Sequence
from typing import TypeAlias, TypedDict

from typing_extensions import Buffer

from ._codec import TypedPayload
from ._enums_generated import (
    BudgetPolicy,
    CacheObjectKind,
    FrameClass,
    HeaderFlags,
    LossTolerancePolicy,
    PartialResultFlags,
    ResultClass,
    ResultFlags,
    StandardProfile,
    TileIndexMode,
)
from ._layouts_generated import ObjectReferenceBlock, TypedPayloadDescriptor
from ._tensor import Extension, Tensor

Payloads: TypeAlias = bytes | TypedPayload | Sequence[bytes | TypedPayload | tuple[TypedPayloadDescriptor, Buffer]]

class Routing(TypedDict, total=False):
    # The header's fields, and the limit of a packet's size in bytes.
    session_id: int
    frame_id: int
    flags: HeaderFlags | int
    view_id: int
    route_id: int
    trace_id: int
    max_packet_bytes: int

class _Place(TypedDict):
    session_id: int
    frame_id: int

class _Lane(TypedDict, total=False):
    view_id: int
    route_id: int
    trace_id: int

class _Body(TypedDict, total=False):
    tensor: Tensor | None
    objects: Sequence[tuple[CacheObjectKind | int, Buffer]]
    references: Sequence[ObjectReferenceBlock]
    extensions: Sequence[Extension]
    flags: HeaderFlags | int
    max_packet_bytes: int

class _Operation(_Place):
    operation_id: int

class FrameSubmitOptions(_Operation, _Lane, _Body, total=False):
    # Of build_frame_submit.
    frame_class: FrameClass | int
    tile_index_mode: TileIndexMode | int
    latency_budget_ms: int
    target_fps_x100: int
    retry_of_frame: int
    budget_policy: BudgetPolicy | int
    loss_tolerance_policy: LossTolerancePolicy | int
    dependency_frame_id: int

class ResultOptions(_Body, total=False):
    # Of ResultSlot.result_push, which knows the place itself.
    status_code: int
    result_flags: ResultFlags | int
    active_profile_id: StandardProfile | int
    inference_ms: int
    queue_ms: int
    server_total_ms: int
    result_class: ResultClass | int
    applied_budget_policy: BudgetPolicy | int
    reused_frame_id: int
    covered_tile_count: int | None
    dropped_tile_count: int

class ResultPushOptions(_Place, _Lane, ResultOptions, total=False):
    # Of build_result_push.
    ...

class _Sequenced(_Operation):
    result_sequence: int

class PartialResultOptions(_Sequenced, _Lane, total=False):
    # Of build_partial_result.
    object_id: int
    delta_sequence: int
    partial_flags: PartialResultFlags | int
    flags: HeaderFlags | int
    max_packet_bytes: int
