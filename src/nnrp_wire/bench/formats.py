"""How general serialisation formats carry the FRAME_SUBMIT of the codec cases: protobuf, msgpack, flatbuffers.

The equal message has every field of header, metadata and descriptor that means something to a program, and the payload.
What a format sees to by itself is left out: magic, versions, lengths, offsets, reserved fields. That is in the formats'
favour, and so is that values of 0, which is most of them, take no room in protobuf and flatbuffers.

There is no compiled schema: the protobuf class comes from a descriptor made here, as `protoc` would make it, and
flatbuffers' tables are read and written with the calls that `flatc` would put into its classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from nnrp_wire.bench import workload
from nnrp_wire.bench.rivals import Rivals
from nnrp_wire.bench.runner import Contender
from nnrp_wire.bench.workload import Record, Sample

FRAMING = {"magic", "version_major", "wire_format", "header_len", "meta_len", "body_len", "offset", "length"}
RECORDS = (workload.HEADER, workload.FRAME_SUBMIT, workload.DESCRIPTOR)
# What a program gives anew with every packet; the rest it knows beforehand.
IDENTITY = ("session_id", "frame_id", "operation_id")
SAMPLE = workload.SUBMIT


def meaningful(record: Record) -> dict[str, int]:
    """The fields that say something to a program, and their size in bytes."""
    sizes = zip(record.fields, record.sizes, strict=True)
    return {name: size for name, size in sizes if name not in FRAMING and not name.startswith("reserved")}


# Field -> bytes, in the order of the packet. No two of these layouts share a name.
FIELDS: Mapping[str, int] = {name: size for record in RECORDS for name, size in meaningful(record).items()}


def field_values(sample: Sample) -> dict[str, int]:
    descriptor = workload.DESCRIPTOR_STRUCT.unpack(sample.descriptor or b"")
    given = {**sample.header, **sample.metadata, **dict(zip(workload.DESCRIPTOR.fields, descriptor, strict=True))}
    return {name: given[name] for name in FIELDS}


VALUES = field_values(SAMPLE)

Message = Mapping[str, object]

# What all of them must read.
MESSAGE: Message = {"fields": VALUES, "payload": SAMPLE.payload}


def message_of(values: Sequence[int], payload: Any) -> Message:
    return {"fields": dict(zip(FIELDS, map(int, values), strict=True)), "payload": bytes(payload)}


class Format:
    """Statements of one format, and how to see what they came to.

    `parse` takes `data` and leaves `payload`; `read` leaves `values` as well; `build` takes `content` and the names of
    IDENTITY and leaves `packet`.
    """

    name: str
    parse: str
    read: str
    build: str

    def __init__(self) -> None:
        self.names: dict[str, object] = {}

    def message(self, data: Any) -> Message:
        """The whole of a built message, read back."""
        found: dict[str, Any] = {**self.names, "data": data}
        exec(self.read, found)  # noqa: S102 - the statement that is timed
        return message_of(found["values"], found["payload"])

    def contender(self, statement: str, observe: Callable[[Mapping[str, Any]], object], **names: object) -> Contender:
        return Contender(self.name, statement, {**self.names, **names}, observe)

    def parser(self, expected: object) -> Contender:
        """Payload in hand and every field readable; the outcome is the case's when the message is the equal one."""
        data = self.example()

        def observe(seen: Mapping[str, Any]) -> object:
            found = {**self.message(data), "payload": bytes(seen["payload"])}
            return expected if found == MESSAGE else found

        return self.contender(self.parse, observe, data=data)

    def reader(self) -> Contender:
        """The same, and every field read."""
        return self.contender(self.read, lambda seen: message_of(seen["values"], seen["payload"]), data=self.example())

    def builder(self, expected: object) -> Contender:
        def observe(seen: Mapping[str, Any]) -> object:
            found = self.message(seen["packet"])
            return expected if found == MESSAGE else found

        identity = {name: VALUES[name] for name in IDENTITY}
        return self.contender(self.build, observe, content=SAMPLE.payload, **identity)

    def example(self) -> bytes:
        found: dict[str, Any] = {**self.names, "content": SAMPLE.payload, **{name: VALUES[name] for name in IDENTITY}}
        exec(self.build, found)  # noqa: S102 - the statement that is timed
        return bytes(found["packet"])


class Protobuf(Format):
    """proto3 with one flat message. Built from a message kept between packets, of which only what differs is set."""

    name = "protobuf"
    parse = "message = from_string(data)\npayload = message.payload"
    read = f"{parse}\nvalues = ({', '.join(f'message.{name}' for name in FIELDS)})"
    build = "\n".join(
        [*(f"message.{name} = {name}" for name in IDENTITY), "message.payload = content", "packet = serialize()"]
    )

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        super().__init__()
        descriptors: Any = modules["google.protobuf.descriptor_pb2"]
        pools: Any = modules["google.protobuf.descriptor_pool"]
        factory: Any = modules["google.protobuf.message_factory"]
        kinds = descriptors.FieldDescriptorProto
        file = descriptors.FileDescriptorProto(name="frame_submit.proto", package="bench", syntax="proto3")
        described = file.message_type.add(name="FrameSubmit")
        for number, (name, size) in enumerate(FIELDS.items(), 1):
            kind = kinds.TYPE_UINT64 if size == 8 else kinds.TYPE_UINT32
            described.field.add(name=name, number=number, label=kinds.LABEL_OPTIONAL, type=kind)
        described.field.add(name="payload", number=len(FIELDS) + 1, label=kinds.LABEL_OPTIONAL, type=kinds.TYPE_BYTES)
        pool = pools.DescriptorPool()
        pool.Add(file)
        message_class = factory.GetMessageClass(pool.FindMessageTypeByName("bench.FrameSubmit"))
        message = message_class(**VALUES)
        self.names = {
            "message": message,
            "serialize": message.SerializeToString,
            "from_string": message_class.FromString,
        }


class Msgpack(Format):
    """An array of the values and the payload, which is shorter and quicker than a map of names."""

    name = "msgpack"
    parse = "values = unpack(data)\npayload = values[-1]"
    read = "*values, payload = unpack(data)"
    build = (
        f"packet = pack([{', '.join(name if name in IDENTITY else repr(VALUES[name]) for name in FIELDS)}, content])"
    )

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        super().__init__()
        msgpack: Any = modules["msgpack"]
        self.names = {"unpack": msgpack.unpackb, "pack": msgpack.Packer().pack}


class Flatbuffers(Format):
    """One table. The builder is kept between packets."""

    name = "flatbuffers"
    # A table's field n has its entry of the vtable at 4 + 2 n.
    parse = (
        "table = Table(data, get(uoffset, data, 0))\n"
        f"vector = table.Offset({4 + 2 * len(FIELDS)})\n"
        "start = table.Vector(vector)\n"
        "payload = memoryview(data)[start : start + table.VectorLen(vector)]"
    )
    read = (
        f"{parse}\n"
        "values = [table.Get(flags, at + table.Pos) if (at := table.Offset(entry)) else 0 for entry, flags in fields]"
    )
    build = "\n".join(
        [
            "builder.Clear()",
            "vector = builder.CreateByteVector(content)",
            f"builder.StartObject({len(FIELDS) + 1})",
            *(
                f"builder.PrependUint{8 * size}Slot({slot}, {name if name in IDENTITY else VALUES[name]}, 0)"
                for slot, (name, size) in enumerate(FIELDS.items())
                if VALUES[name]
            ),
            f"builder.PrependUOffsetTRelativeSlot({len(FIELDS)}, vector, 0)",
            "builder.Finish(builder.EndObject())",
            "packet = builder.Output()",
        ]
    )

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        super().__init__()
        flatbuffers: Any = modules["flatbuffers"]
        types = flatbuffers.number_types
        flags = {size: getattr(types, f"Uint{8 * size}Flags") for size in (1, 2, 4, 8)}
        self.names = {
            "Table": flatbuffers.table.Table,
            "get": flatbuffers.encode.Get,
            "uoffset": flatbuffers.packer.uoffset,
            "fields": [(4 + 2 * slot, flags[size]) for slot, size in enumerate(FIELDS.values())],
            "builder": flatbuffers.Builder(2048),
        }


FORMATS: Mapping[str, type[Protobuf | Msgpack | Flatbuffers]] = {
    kind.name: kind for kind in (Protobuf, Msgpack, Flatbuffers)
}


def installed(rivals: Rivals) -> Sequence[Format]:
    """Those whose packages are here (`rivals` says why another one is not)."""
    return [kind(rivals.modules[name]) for name, kind in FORMATS.items() if name in rivals.modules]
