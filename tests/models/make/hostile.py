#!/usr/bin/env python3
"""Hostile model files, written when the tests run and never committed: each must give one clear sentence, in bounded memory, with nothing executed.

usage: hostile.py DIRECTORY [CORPUS]     writes the files and DIRECTORY/manifest.jsonl: {"file", "format", "attack", "expect", "canary"}
`expect` is "error" (one sentence, exit code of an unreadable input), "layers" (the layers are listed all the same), or "quick" (headers alone are read).
`canary` names a file that must not exist afterwards: a payload that runs creates it. CORPUS is tests/models/files; needs Python alone.
"""

import io
import json
import pathlib
import pickle
import struct
import sys
import warnings
import zipfile

warnings.simplefilter("ignore")  # two members of one name are meant
target = pathlib.Path(sys.argv[1])
corpus = (
    pathlib.Path(sys.argv[2])
    if len(sys.argv) > 2
    else pathlib.Path(__file__).resolve().parent.parent / "files"
)
target.mkdir(parents=True, exist_ok=True)
manifest = []
CONFIG = {
    "class_name": "Sequential",
    "config": {
        "name": "s",
        "layers": [{"class_name": "LSTM", "config": {"name": "lstm", "units": 4}}],
    },
}


def put(name, attack, expect, data=None, write=None, format=None, canary=None):
    path = target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if write:
        write(path)
    else:
        path.write_bytes(data)
    manifest.append(
        {
            "file": name,
            "format": format,
            "attack": attack,
            "expect": expect,
            "canary": canary and str(canary),
        }
    )


def archive(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as z:
        for name, data in members:
            z.writestr(name, data)
    return buffer.getvalue()


def lying_size(data, name, size):
    """The same zip with another uncompressed size of the member `name` in the local header and the central directory."""
    data, at = bytearray(data), 0
    for signature, offset, length in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        at = data.find(signature)
        while at >= 0:
            if data[at + length : at + length + len(name)] == name.encode():
                struct.pack_into("<I", data, at + offset, size)
            at = data.find(signature, at + 4)
    return bytes(data)


# zip
huge = io.BytesIO()
with zipfile.ZipFile(huge, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    z.writestr("metadata.json", "{}")
    with z.open("config.json", "w", force_zip64=True) as member:
        member.write(b'{"class_name": "Sequential", "pad": "')
        for _ in range(1024):
            member.write(b" " * (1 << 20))
        member.write(b'"}')
put("bomb.keras", "config.json of 1 GiB in 1 MiB", "error", huge.getvalue(), format="keras")
put(
    "nested_json.keras",
    "config.json with 2,000,000 open brackets",
    "error",
    archive([("metadata.json", "{}"), ("config.json", "[" * 2_000_000)]),
    format="keras",
)
put(
    "nested_objects.keras",
    "config.json with 200,000 nested layers",
    "error",
    archive(
        [
            ("metadata.json", "{}"),
            ("config.json", '{"class_name":"Sequential","config":{"layers":[' * 200_000),
        ]
    ),
    format="keras",
)
put(
    "dotdot.keras",
    "members named ../../escape and /tmp/escape",
    "layers",
    archive(
        [
            ("../../escape", "x"),
            ("/tmp/rnncheck-escape", "x"),
            ("metadata.json", '{"keras_version": "3.0.0"}'),
            ("config.json", json.dumps(CONFIG)),
        ]
    ),
    format="keras",
    canary="/tmp/rnncheck-escape",
)
put(
    "no_config.keras",
    "a zip without config.json",
    "error",
    archive([("a.txt", "x")]),
    format="keras",
)
put(
    "two_configs.keras",
    "config.json twice",
    "layers",
    archive([("config.json", "{}"), ("metadata.json", "{}"), ("config.json", json.dumps(CONFIG))]),
    format="keras",
)
put(
    "small_size.keras",
    "config.json says that it has 5 bytes and has more",
    "error",
    lying_size(
        archive([("metadata.json", "{}"), ("config.json", json.dumps(CONFIG))]), "config.json", 5
    ),
    format="keras",
)
put(
    "large_size.keras",
    "config.json says that it has 4 GB and has few bytes",
    "error",
    lying_size(
        archive([("metadata.json", "{}"), ("config.json", json.dumps(CONFIG))]),
        "config.json",
        0xFFFFFFF0,
    ),
    format="keras",
)
put(
    "many_members.keras",
    "200,000 empty members",
    "error",
    archive([(f"m{k}", "") for k in range(200_000)], zipfile.ZIP_STORED),
    format="keras",
)
end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 65535, 65535, 0xFFFFFFFF, 0xFFFFFFFF, 0)
put(
    "zip64_nowhere.keras",
    "an end of central directory that points to 4 GB",
    "error",
    b"PK\x03\x04" + end,
    format="keras",
)
shared = archive([("metadata.json", "{}"), ("config.json", json.dumps(CONFIG))], zipfile.ZIP_STORED)
put(
    "overlap.keras",
    "both members point to the same local header",
    "error",
    shared.replace(
        struct.pack("<I", shared.find(b"PK\x03\x04", 4)) + b"config.json",
        struct.pack("<I", 0) + b"config.json",
    ),
    format="keras",
)


# pickle: what torch.load would execute
class Payload:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        import os

        return os.system, (self.command,)


canary = target.resolve() / "executed"
payload = pickle.dumps({"lstm.weight_ih_l0": Payload(f"touch {canary}")}, protocol=2)


def torch_zip(data):
    return archive(
        [("archive/data.pkl", data), ("archive/version", "3\n"), ("archive/byteorder", "little")],
        zipfile.ZIP_STORED,
    )


put(
    "execute.pt",
    "data.pkl calls os.system",
    "error",
    torch_zip(payload),
    format="torch_zip",
    canary=canary,
)
put(
    "execute_legacy.pt",
    "a legacy file whose pickle calls os.system",
    "error",
    b"".join(pickle.dumps(x, 2) for x in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))
    + payload,
    format="torch_legacy",
    canary=canary,
)
text = f"open({str(canary)!r}, 'w')".encode()
put(
    "execute_eval.pt",
    "data.pkl calls builtins.eval",
    "error",
    torch_zip(b"\x80\x02cbuiltins\neval\nX" + struct.pack("<I", len(text)) + text + b"\x85R."),
    format="torch_zip",
    canary=canary,
)
put(
    "build.pt",
    "data.pkl sets the state of an object (BUILD) of an unknown class",
    "error",
    torch_zip(b"\x80\x02csubprocess\nPopen\n)\x81}X\x04\x00\x00\x00argsX\x04\x00\x00\x00truesb."),
    format="torch_zip",
)
put(
    "memo.pt",
    "data.pkl doubles a list 60 times through the memo",
    "error",
    torch_zip(
        b"\x80\x02]q\x00"
        + b"".join(
            b"](h" + bytes([k]) + b"h" + bytes([k]) + b"eq" + bytes([k + 1]) for k in range(60)
        )
        + b"."
    ),
    format="torch_zip",
)
put(
    "deep.pt",
    "data.pkl with 1,000,000 nested tuples",
    "error",
    torch_zip(b"\x80\x02)" + b"\x85" * 1_000_000 + b"."),
    format="torch_zip",
)
put(
    "long_string.pt",
    "data.pkl with a string of 4 GB that is not there",
    "error",
    torch_zip(b"\x80\x02X\xff\xff\xff\xff" + b"a" * 100),
    format="torch_zip",
)
put(
    "long_string8.pt",
    "data.pkl with a string of 2^63 bytes that is not there",
    "error",
    torch_zip(b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7f" + b"a" * 100),
    format="torch_zip",
)
put(
    "self.pt",
    "data.pkl with a dictionary that holds itself",
    "error",
    torch_zip(b"\x80\x02}q\x00X\x01\x00\x00\x00ah\x00s."),
    format="torch_zip",
)
put(
    "stack.pt",
    "data.pkl pops an empty stack",
    "error",
    torch_zip(b"\x80\x02000000s."),
    format="torch_zip",
)
put("no_stop.pt", "data.pkl without STOP", "error", torch_zip(b"\x80\x02}"), format="torch_zip")

# safetensors
put(
    "huge_header.safetensors",
    "a header of 2^63 bytes",
    "error",
    struct.pack("<Q", 1 << 63) + b"{}",
    format="safetensors",
)
put(
    "header_beyond.safetensors",
    "a header longer than the file",
    "error",
    struct.pack("<Q", 1000) + b"{}",
    format="safetensors",
)
put(
    "nested.safetensors",
    "a header with 1,000,000 open brackets",
    "error",
    struct.pack("<Q", 1_000_000) + b"[" * 1_000_000,
    format="safetensors",
)
put(
    "negative.safetensors",
    "negative and overflowing offsets and shapes",
    "error",
    (lambda h: struct.pack("<Q", len(h)) + h)(
        json.dumps(
            {
                "lstm.weight_ih_l0": {
                    "dtype": "F32",
                    "shape": [2**62, 2**62],
                    "data_offsets": [-8, 2**63],
                }
            }
        ).encode()
    ),
    format="safetensors",
)
put(
    "escape/model.safetensors.index.json",
    "the index names ../../../etc/passwd and /etc/passwd",
    "error",
    json.dumps(
        {
            "metadata": {},
            "weight_map": {
                "lstm.weight_ih_l0": "../../../../../../etc/passwd",
                "lstm.weight_hh_l0": "/etc/passwd",
            },
        }
    ).encode(),
    format="safetensors",
)
put(
    "missing/model.safetensors.index.json",
    "the index names a file that is not there",
    "error",
    json.dumps(
        {"metadata": {}, "weight_map": {"lstm.weight_ih_l0": "model-00001-of-00001.safetensors"}}
    ).encode(),
    format="safetensors",
)


def sparse(path):
    """50 GB, of which the header alone is on the disk."""
    state, at = {}, 0
    for name, shape in (
        ("lstm.weight_ih_l0", [32768, 8192]),
        ("lstm.weight_hh_l0", [32768, 8192]),
        ("lstm.bias_ih_l0", [32768]),
        ("lstm.bias_hh_l0", [32768]),
        ("embedding.weight", [6_000_000, 2048]),
    ):
        size = 4
        for d in shape:
            size *= d
        state[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    header = json.dumps(state).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + at)


put("sparse.safetensors", "51 GB, sparse", "quick", write=sparse, format="safetensors")


# protobuf
def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def nested(depth):
    """ModelProto > GraphProto > NodeProto If > AttributeProto > GraphProto > …, from the inside out, sizes known in one pass."""
    pieces, size = [], 0
    for level in range(depth):
        for number in (6, 5, 1):  # AttributeProto.g, NodeProto.attribute, GraphProto.node
            head = varint(number << 3 | 2) + varint(size)
            pieces.append(head)
            size += len(head)
    return b"\x08\x09" + varint(7 << 3 | 2) + varint(size) + b"".join(reversed(pieces))


put(
    "nested.onnx",
    "100,000 subgraphs in each other",
    "error",
    nested(100_000) + field(8, b"\x10\x11"),
    format="onnx",
)
put(
    "long_field.onnx",
    "a graph of 2^62 bytes",
    "error",
    b"\x08\x09" + varint(7 << 3 | 2) + varint(1 << 62) + b"abc",
    format="onnx",
)
put(
    "endless_varint.onnx",
    "a varint of 1,000 bytes",
    "error",
    b"\x08" + b"\xff" * 1000,
    format="onnx",
)
external = lambda place: field(
    7,
    field(
        1,
        field(1, b"X")
        + field(1, b"W")
        + field(1, b"R")
        + field(2, b"Y")
        + field(4, b"LSTM")
        + field(3, b"lstm")
        + field(5, field(1, b"hidden_size") + b"\x18\x04" + b"\xa0\x01\x02"),
    )
    + field(
        5,
        b"\x08\x01\x08\x10\x08\x03\x10\x01"
        + field(8, b"W")
        + field(13, field(1, b"location") + field(2, place))
        + b"\x70\x01",
    ),
)
put(
    "external_escape.onnx",
    "external data in ../../../../etc/passwd",
    "layers",
    b"\x08\x09" + external(b"../../../../etc/passwd") + field(8, b"\x10\x11"),
    format="onnx",
)
put(
    "external_absolute.onnx",
    "external data in /etc/passwd",
    "layers",
    b"\x08\x09" + external(b"/etc/passwd") + field(8, b"\x10\x11"),
    format="onnx",
)
put(
    "external_missing.onnx",
    "external data in a file that is not there",
    "layers",
    b"\x08\x09" + external(b"gone.data") + field(8, b"\x10\x11"),
    format="onnx",
)
put(
    "saved/saved_model.pb",
    "a SavedModel of 10 MB of zeros",
    "error",
    b"\0" * 10_000_000,
    format="saved_model",
)
put(
    "saved_nested/saved_model.pb",
    "5,000,000 empty MetaGraphDefs",
    "error",
    field(2, b"") * 5_000_000,
    format="saved_model",
)

# HDF5: real files, damaged
real = (corpus / "keras2/lstm.h5").read_bytes()
signature = real[:8]


tree, heap, node = real.find(b"TREE"), real.find(b"HEAP"), real.find(b"SNOD")
loop = bytearray(real)
struct.pack_into(
    "<Q", loop, tree + 24 + 8, tree
)  # the first child of the first B-tree is the B-tree itself
loop[tree + 5] = 1  # at level 1, so that children are trees
put("tree_loop.h5", "a B-tree node that is its own child", "error", bytes(loop), format="hdf5")
sibling = bytearray(real)
struct.pack_into("<Q", sibling, tree + 8, tree)
struct.pack_into("<Q", sibling, tree + 16, tree)
put(
    "sibling_loop.h5",
    "a B-tree node that is its own sibling",
    "layers",
    bytes(sibling),
    format="hdf5",
)
group = bytearray(real)
at = node + 8
for k in range(
    struct.unpack_from("<H", real, node + 6)[0]
):  # every entry of the first symbol table leads to the root group
    struct.pack_into("<Q", group, at + 8, struct.unpack_from("<Q", real, 64)[0])
    at += 40
put("group_loop.h5", "groups that hold the root group", "layers", bytes(group), format="hdf5")
heapless = bytearray(real)
struct.pack_into("<Q", heapless, heap + 8, 1 << 62)
put("heap_size.h5", "a local heap of 2^62 bytes", "error", bytes(heapless), format="hdf5")
put(
    "nowhere.h5",
    "a root group at address 2^63",
    "error",
    real[:64] + struct.pack("<Q", 1 << 63) + real[72:],
    format="hdf5",
)
put("signature.h5", "the signature alone", "error", signature, format="hdf5")
put(
    "zeros.h5",
    "the signature and 1 MB of zeros",
    "error",
    signature + b"\0" * 1_000_000,
    format="hdf5",
)

# truncated at many places; and random bytes under each name
for name in (
    "keras3/lstm.keras",
    "keras2/lstm.h5",
    "torch/lstm.pt",
    "torch/lstm_legacy.pt",
    "torch/lstm.safetensors",
    "onnx/lstm.onnx",
    "torch/script_lstm.pt",
):
    whole = (corpus / name).read_bytes()
    stem, dot = pathlib.Path(name).stem, pathlib.Path(name).suffix
    for part in (0, 1, 7, len(whole) // 4, len(whole) // 2, len(whole) * 9 // 10, len(whole) - 1):
        put(f"truncated/{stem}_{part}{dot}", f"{name} cut after {part} bytes", "any", whole[:part])
for dot in ".keras", ".h5", ".pt", ".safetensors", ".onnx", ".ckpt", ".json", ".pb":
    put(
        f"noise{dot}",
        "4 kB of noise",
        "error",
        bytes((k * k * 31 + k * 7) % 251 for k in range(4096)),
    )
(target / "directory.keras").mkdir(exist_ok=True)
manifest.append(
    {
        "file": "directory.keras",
        "format": None,
        "attack": "an empty directory",
        "expect": "error",
        "canary": None,
    }
)
(target / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in manifest))
print(f"{len(manifest)} hostile files in {target}")
