"""Decodes field blocks with nghttp2's own decoder.

Input lines: `new`, `limit N` (SETTINGS_HEADER_TABLE_SIZE acknowledged), or a block in hex after `block `.
Output: a first line with the decoder's name, then for each block `error`, or `ok` and its fields as
hex name:value pairs.
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
    """nghttp2_hd_inflater of libnghttp2."""

    EMIT = 2
    FINAL = 1

    def __init__(self):
        name = ctypes.util.find_library("nghttp2") or "libnghttp2.so.14"
        self.library = library = ctypes.CDLL(name)
        library.nghttp2_version.restype = ctypes.c_void_p
        info = ctypes.cast(library.nghttp2_version(0), ctypes.POINTER(ctypes.c_char_p))
        # struct { int age; int version_num; const char *version_str; … }
        self.name = "nghttp2 " + info[1].decode()
        library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        self.inflater = None
        self.reset()

    def reset(self):
        if self.inflater:
            self.library.nghttp2_hd_inflate_del(self.inflater)
        self.inflater = ctypes.c_void_p()
        self.library.nghttp2_hd_inflate_new(ctypes.byref(self.inflater))

    def limit(self, size):
        self.library.nghttp2_hd_inflate_change_table_size(self.inflater, ctypes.c_size_t(size))

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


def main():
    decoder = Nghttp2()
    print(decoder.name)
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command == "new":
            decoder.reset()
        elif command == "limit":
            decoder.limit(int(argument))
        else:
            fields = decoder.decode(bytes.fromhex(argument))
            if fields is None:
                print("error")
            else:
                print("ok", *(f"{name.hex()}:{value.hex()}" for name, value in fields))


main()
