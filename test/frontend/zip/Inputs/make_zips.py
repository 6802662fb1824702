"""Writes hostile and damaged zip files for hostile-zips.test: make_zips.py FOLDER."""
import os
import struct
import sys
import zlib


def local(name, data, method=0, flags=0, crc=None, size=None):
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    stored = raw.compress(data) + raw.flush() if method == 8 else data
    header = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, flags, method, 0, 0, zlib.crc32(data) if crc is None else crc,
                         len(stored), len(data) if size is None else size, len(name), 0)
    return header + name + stored, len(stored)


def central(name, data, offset, stored, method=0, flags=0, crc=None, size=None):
    return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, flags, method, 0, 0,
                       zlib.crc32(data) if crc is None else crc, stored, len(data) if size is None else size,
                       len(name), 0, 0, 0, 0, 0, offset) + name


def archive(entries, count=None, directory_offset=None, directory_names=None, offsets=None):
    """entries: (name, data, keywords). The other arguments lie about what was written."""
    out, directory = b"", b""
    for i, (name, data, keywords) in enumerate(entries):
        body, stored = local(name, data, **keywords)
        offset = len(out) if offsets is None else offsets[i]
        directory += central((directory_names or {}).get(name, name), data, offset, stored, **keywords)
        out += body
    start = len(out) if directory_offset is None else directory_offset
    n = len(entries) if count is None else count
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, n & 0xffff, n & 0xffff, len(directory), start, 0)
    return out + directory + end


def main():
    good = [(b"m/data.pkl", b"x" * 50, {}), (b"m/constants.pkl", b"y" * 50, {}), (b"m/version", b"3", {})]
    one = lambda name, data=b"abc", **keywords: archive(good + [(name, data, keywords)])
    whole = archive(good)
    crc_of_other = zlib.crc32(b"other")
    files = {
        "empty": b"",
        "text": b"hello, this is not a model\n" * 20,
        "old_pickle": b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.",
        "truncated": whole[:-30],
        "duplicate": archive(good + [(b"m/version", b"4", {})]),
        "absolute": one(b"/etc/passwd"),
        "parent": one(b"m/../../escape"),
        "backslash": one(b"m\\evil"),
        "drive": one(b"c:evil"),
        "nul": one(b"m/a\0b"),
        "encrypted": one(b"m/secret", flags=1),
        "method": one(b"m/lzma", method=14),
        "renamed": archive(good, directory_names={b"m/version": b"m/VERSION"}),
        "overlap": archive(good[:2] + [(b"m/version", b"3", {})], offsets=[0, 0, 0]),
        "beyond": archive(good, directory_offset=1 << 31),
        "missing_entries": archive(good, count=7),
        "extra_entries": archive(good, count=2),
        "crc": archive(good[:2] + [(b"m/version", b"3", {"crc": crc_of_other})]),
        "bomb": archive(good + [(b"m/zeros", b"", {"method": 8, "size": 1 << 31})]),
        "ratio": archive(good + [(b"m/zeros", b"\0" * 100, {"method": 8, "size": 1 << 29})]),
        "inflate": archive(good[:2] + [(b"m/version", b"3" * 40, {"method": 8, "size": 400})]),
        "garbage_between": whole.replace(b"PK\1\2", b"PK\1\7", 1),
        "no_entries": archive([]),
    }
    # The local header says another size than the directory.
    lying = bytearray(whole)
    struct.pack_into("<I", lying, 22, 10)
    files["local_size"] = bytes(lying)
    # An entry whose header and data lie inside another one's data.
    inner, _ = local(b"m/inner", b"abc")
    outer, _ = local(b"m/outer", b"0123" + inner + b"4567")
    directory = central(b"m/outer", b"0123" + inner + b"4567", 0, len(inner) + 8)
    directory += central(b"m/inner", b"abc", len(outer) - len(inner) - 4, 3)
    files["nested"] = outer + directory + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 2, 2, len(directory), len(outer), 0)
    # A stored entry with two sizes.
    files["two_sizes"] = archive(good + [(b"m/odd", b"abc", {"size": 9})])
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in files.items():
        with open(os.path.join(sys.argv[1], name + ".pt"), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
