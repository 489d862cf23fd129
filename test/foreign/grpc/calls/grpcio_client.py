"""
Makes the calls on standard input by grpcio, each on a channel of its own, and prints a line for each.
test/foreign/grpc/calls/_program.ts has the format of both.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import grpc

PRINTING = Lock()


def seen(call):
    pairs = [*(call.initial_metadata() or ()), *(call.trailing_metadata() or ())]
    return ", ".join(value.hex() for name, value in pairs if name == "a-bin")


def call(address, method, kind, request, metadata, timeout):
    """Returns the code, the number of messages, the text and the binary metadata."""
    messages = 0
    pairs = [tuple(line.split(": ")) for line in metadata.split(", ") if line]
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(address, options=options) as channel:
        make = channel.unary_unary if kind == "unary" else channel.unary_stream
        arguments = {"timeout": timeout, "metadata": pairs}
        try:
            if kind == "unary":
                response, made = make(method).with_call(request, **arguments)
                messages = 0 if response is None else 1
            else:
                made = make(method)(request, **arguments)
                for _ in made:
                    messages += 1
            ended = made
        except grpc.RpcError as error:
            ended = error
        return ended.code().value[0], messages, ended.details() or "", seen(ended)


def line(text):
    name, address, method, kind, request, metadata, timeout = text.rstrip("\n").split("\t")
    try:
        found = call(address, method, kind, bytes.fromhex(request), metadata, int(timeout) / 1000)
    except Exception as error:
        found = ("", 0, f"{type(error).__name__}: {error}", "")
    with PRINTING:
        print(name, *(" ".join(str(cell).split()) for cell in found), sep="\t", flush=True)


with ThreadPoolExecutor(16) as threads:
    list(threads.map(line, sys.stdin))
