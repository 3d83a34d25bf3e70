"""Threads: one buffer may be parsed by many, a view read by many, a reader belongs to one."""

from __future__ import annotations

import random
import sys
import threading

import pytest
from wirekit import data, raw

from nnrp_wire import wire
from nnrp_wire.errors import WireError

THREADS = 8


def together(work) -> list[object]:
    """Run `work(number)` in every thread at once; what one raises is raised here."""
    barrier, failures, results = threading.Barrier(THREADS), [], [None] * THREADS

    def run(number: int) -> None:
        try:
            barrier.wait()
            results[number] = work(number)
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if failures:
        raise failures[0]
    return results


def refusal(source) -> tuple[object, ...]:
    """What the error of a refused packet says."""
    try:
        wire.parse_packet(source)
    except WireError as error:
        return error.error_class, error.field, error.found
    return ()


@pytest.mark.parametrize("wrap", [bytes, bytearray])
def test_many_threads_parse_the_same_buffer(wrap):
    source = wrap(raw.typed_submit([b"one", b"two"]))

    def work(_: int) -> int:
        good = 0
        for _ in range(400):
            packet = wire.parse_packet(source)
            body = wire.frame_submit_body(packet)
            good += [bytes(payload) for _, payload in body.typed_payloads] == [b"one", b"two"]
            wire.check_message(packet)
        return good

    assert together(work) == [400] * THREADS
    if wrap is bytearray:
        source.extend(b"every export was given back")


def test_many_threads_read_one_view():
    """Members made on first use are the same whoever asks first."""
    for _ in range(30):
        packet = wire.parse_packet(raw.typed_submit([b"one", b"two"]))
        body = wire.frame_submit_body(packet)

        def work(_: int, packet=packet, body=body) -> tuple[object, ...]:
            return (
                packet.header.as_dict(),
                packet.metadata.as_dict(),
                bytes(packet.body),
                [(one.as_dict(), bytes(payload)) for one, payload in body.typed_payloads],
                hash(packet),
                repr(packet),
                packet.copy() == packet,
            )

        first, *others = together(work)
        assert all(other == first for other in others)


def test_own_readers():
    sources = list(data.packets().values())
    stream = b"".join(sources) * 3

    def work(number: int) -> int:
        chosen = random.Random(number)
        reader, found, at = wire.PacketReader(), [], 0
        while at < len(stream):
            size = chosen.randrange(1, 700)
            reader.feed(stream[at : at + size])
            at += size
            found += [packet.to_bytes() for packet in reader]
        return found == sources * 3

    assert together(work) == [True] * THREADS


def test_errors_of_many_threads_do_not_mix():
    """Each error tells of its own packet."""
    sources = [raw.patch(data.plain_messages()["ping"], 8, 0x40 << number, 4) for number in range(THREADS)]

    def work(number: int) -> set[tuple[object, ...]]:
        return {refusal(sources[number]) for _ in range(2000)}

    expected = [{("reserved_bits_set", "flags", 0x40 << number)} for number in range(THREADS)]
    assert together(work) == expected


def test_building_in_many_threads():
    def work(number: int) -> bool:
        for sequence in range(500):
            view = wire.PartialResult.build(operation_id=number + 1, result_sequence=sequence, body_bytes=3)
            made = wire.build_packet(wire.MessageType.PARTIAL_RESULT, view, b"abc", session_id=number)
            packet = wire.parse_packet(made)
            if (packet.session_id, packet.metadata.result_sequence) != (number, sequence):
                return False
        return True

    assert together(work) == [True] * THREADS


def test_views_dropped_in_another_thread():
    """The last reference goes away in a thread that did not make the view."""
    handed: list[object] = []

    def work(number: int) -> None:
        for _ in range(500):
            if number % 2:
                packet = wire.parse_packet(bytearray(raw.typed_submit([b"x"])))
                handed.append((packet, packet.body, packet.metadata))
            else:
                try:
                    handed.pop()
                except IndexError:
                    continue

    together(work)
    handed.clear()
