"""Corners of the builders that a fuzzer found: what is built is what a receiver takes (wire.md section 1)."""

from __future__ import annotations

import pytest

from nnrp_wire import wire


def test_a_result_with_a_tensor_of_no_tiles_has_a_prelude():
    """wire.md section 6.4: a body may be empty only when the bitmap is 0."""
    made = wire.build_result_push((), tensor=wire.Tensor(()), session_id=1, frame_id=1)
    packet = wire.parse_message(made, strict=True)
    assert packet.metadata.payload_kind_bitmap is wire.PayloadKindBitmap.TENSOR
    assert packet.body_len == wire.BodyRegionPrelude.size


def test_a_role_below_zero_does_not_fit_its_field():
    tensor = wire.Tensor([1], [wire.Section(-1, [b"x"])])
    with pytest.raises(wire.FieldOutOfRange):
        wire.build_frame_submit(tensor=tensor, session_id=1, frame_id=1, operation_id=1)


def test_ids_of_a_referenced_index_are_not_guessed():
    """wire.md 6.2 gives a result without index bytes the dense range; a referenced index is no such result (6.4.4)."""
    index = wire.ObjectReferenceBlock.build(object_kind=wire.CacheObjectKind.TILE_INDEX_BLOCK)
    tensor = wire.Tensor(tile_count=2, tile_base_id=5)
    for references, ids in (([], range(5, 7)), ([index], None)):
        made = wire.build_result_push((), tensor=tensor, references=references, session_id=1, frame_id=1)
        body = wire.result_push_body(wire.parse_message(made))
        assert body.tile_ids == ids
        assert (wire.tile_id_array(body) is None) == (ids is None)
