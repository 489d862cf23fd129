"""Decodes and encodes field blocks with nghttp2's own HPACK.

Input lines: `new`, `limit N` (SETTINGS_HEADER_TABLE_SIZE acknowledged), a block in hex after `block `, or
fields as hex name:value pairs after `fields `.
Output: a first line with the name of the library, then for each block `error`, or `ok` and its fields as
hex name:value pairs, and for fields their block in hex.
"""

import ctypes
import ctypes.util
import sys


class Pair(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.POINTER(ctypes.c_uint8)),
        ("value", ctypes.POINTER(ctypes.c_uint8)),
        ("namelen", ctypes.c_size_t),
        ("valuelen", ctypes.c_size_t),
        ("flags", ctypes.c_uint8),
    ]


class Nghttp2:
    """nghttp2_hd_inflater and nghttp2_hd_deflater of libnghttp2."""

    EMIT = 2
    FINAL = 1
    TABLE_SIZE = 4096

    def __init__(self):
        name = ctypes.util.find_library("nghttp2") or "libnghttp2.so.14"
        self.library = library = ctypes.CDLL(name)
        library.nghttp2_version.restype = ctypes.c_void_p
        info = ctypes.cast(library.nghttp2_version(0), ctypes.POINTER(ctypes.c_char_p))
        # struct { int age; int version_num; const char *version_str; … }
        self.name = "nghttp2 " + info[1].decode()
        library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        library.nghttp2_hd_deflate_hd.restype = ctypes.c_ssize_t
        library.nghttp2_hd_deflate_bound.restype = ctypes.c_size_t
        self.inflater = None
        self.deflater = None
        self.reset()

    def reset(self):
        if self.inflater:
            self.library.nghttp2_hd_inflate_del(self.inflater)
        self.inflater = ctypes.c_void_p()
        self.library.nghttp2_hd_inflate_new(ctypes.byref(self.inflater))
        if self.deflater:
            self.library.nghttp2_hd_deflate_del(self.deflater)
        self.deflater = ctypes.c_void_p()
        size = ctypes.c_size_t(self.TABLE_SIZE)
        self.library.nghttp2_hd_deflate_new(ctypes.byref(self.deflater), size)

    def limit(self, size):
        self.library.nghttp2_hd_inflate_change_table_size(self.inflater, ctypes.c_size_t(size))
        self.library.nghttp2_hd_deflate_change_table_size(self.deflater, ctypes.c_size_t(size))

    def encode(self, fields):
        pairs = (Pair * len(fields))()
        kept = []
        for pair, field in zip(pairs, fields):
            name, value = (ctypes.create_string_buffer(part, len(part) + 1) for part in field)
            kept += [name, value]
            pair.name = ctypes.cast(name, ctypes.POINTER(ctypes.c_uint8))
            pair.value = ctypes.cast(value, ctypes.POINTER(ctypes.c_uint8))
            pair.namelen, pair.valuelen = map(len, field)
        count = ctypes.c_size_t(len(fields))
        most = self.library.nghttp2_hd_deflate_bound(self.deflater, pairs, count)
        block = ctypes.create_string_buffer(most)
        length = self.library.nghttp2_hd_deflate_hd(
            self.deflater, block, ctypes.c_size_t(most), pairs, count
        )
        return block.raw[:length]

    def decode(self, block):
        fields = []
        data = ctypes.create_string_buffer(block, len(block) + 1)
        at = 0
        pair = Pair()
        flags = ctypes.c_int()
        while True:
            read = self.library.nghttp2_hd_inflate_hd2(
                self.inflater,
                ctypes.byref(pair),
                ctypes.byref(flags),
                ctypes.byref(data, at),
                ctypes.c_size_t(len(block) - at),
                1,
            )
            if read < 0:
                return None
            at += read
            if flags.value & self.EMIT:
                name = ctypes.string_at(pair.name, pair.namelen)
                fields.append((name, ctypes.string_at(pair.value, pair.valuelen)))
            if flags.value & self.FINAL:
                self.library.nghttp2_hd_inflate_end_headers(self.inflater)
                return fields


def pairs_of(text):
    return [[bytes.fromhex(part) for part in pair.split(":")] for pair in text.split()]


def main():
    nghttp2 = Nghttp2()
    print(nghttp2.name)
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command == "new":
            nghttp2.reset()
        elif command == "limit":
            nghttp2.limit(int(argument))
        elif command == "fields":
            print(nghttp2.encode(pairs_of(argument)).hex())
        else:
            fields = nghttp2.decode(bytes.fromhex(argument))
            if fields is None:
                print("error")
            else:
                print("ok", *(f"{name.hex()}:{value.hex()}" for name, value in fields))


main()
