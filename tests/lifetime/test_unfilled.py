"""Objects made by `cls.__new__(cls)` and never filled: any use is a result or an exception, never a crash.

Run in a child process: a crash here would take the whole test run with it.
"""

from __future__ import annotations

from wirekit import child, raw

SCRIPT = """
    import copy, pickle
    from nnrp_wire import wire

    submit = wire.parse_packet(bytes.fromhex({submit!r}))
    body = wire.frame_submit_body(submit)
    reader = wire.PacketReader()
    samples = [
        submit, body, body.typed_payloads, body.references, body.objects, body.extensions, submit.header, reader,
        wire.iter_packets(b""), *wire.VIEWS.values(), wire.LayoutView, wire.Packet, wire.DataPlaneBody,
        wire.TensorSection, wire.PacketReader, wire.ResultSlot, wire.TypedPayload,
    ]
    types = {{thing if isinstance(thing, type) else type(thing) for thing in samples}} - {{tuple}}
    used = 0

    def attempt(call, *arguments):
        global used
        used += 1
        try:
            return call(*arguments)
        except Exception:
            return None

    for kind in sorted(types, key=lambda kind: kind.__name__):
        try:
            thing = kind.__new__(kind)
        except TypeError:
            continue
        for name in dir(kind):
            value = attempt(getattr, thing, name)
            if callable(value) and name not in ("__class__", "__init_subclass__", "__subclasshook__"):
                for arguments in ((), (0,), (thing,), (b"x" * 100,), (b"x" * 100, 0)):
                    attempt(value, *arguments)
        for call in (repr, str, bytes, len, hash, list, iter, next, memoryview, bool, copy.copy, copy.deepcopy, dir):
            attempt(call, thing)
        attempt(pickle.dumps, thing)
        attempt(lambda: thing == thing)
        attempt(lambda: thing != kind.__new__(kind))
        attempt(lambda: thing[0])
        attempt(lambda: thing[:])
        for call in (
            wire.check_message, wire.check_body, wire.message_tails, wire.frame_submit_body, wire.result_push_body,
            wire.capability_entries, wire.parse_packet, wire.parse_header, wire.is_utf8, wire.scan,
            lambda view: wire.check_pair(view, view), lambda view: wire.build_packet(0x20, view),
            lambda view: wire.build_message(0x20, view), lambda view: wire.build_frame_submit(
                view, session_id=1, frame_id=1, operation_id=1),
        ):
            attempt(call, thing)
        for _ in range(3):
            attempt(kind.__init__, thing)
        del thing
    assert len(types) > 60, types
    assert used > 3000, used
    print("done")
"""


def test_unfilled_objects_never_crash():
    assert child.run(SCRIPT.format(submit=raw.typed_submit([b"{}"]).hex())) == "done\n"
