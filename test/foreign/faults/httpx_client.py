"""Sends the requests on standard input (name, method, path and length of the content, separated by
tabs), each on a connection of its own, and prints name, status, bytes of content and error of each."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx

base, version = sys.argv[1], sys.argv[2]


def words(error):
    # Reprs of objects have addresses.
    text = re.sub(r"<(\w+) object at \S+>|0x[0-9a-f]{6,}", r"\1", str(error))
    return f"{type(error).__name__}: {' '.join(text.split())}"


def send(line):
    name, method, path, length = line.rstrip("\n").split("\t")
    status, received = "", 0
    try:
        with httpx.Client(verify=False, http1=version == "1.1", http2=version == "2", timeout=5) as client:
            content = bytes(int(length)) or None
            headers = {"X-Wirebin-Journal": name}
            with client.stream(method, base + path, content=content, headers=headers) as response:
                status = response.status_code
                for piece in response.iter_raw():
                    received += len(piece)
        return f"{name}\t{status}\t{received}\t"
    except Exception as error:
        return f"{name}\t{status}\t{received}\t{words(error)}"


with ThreadPoolExecutor(16) as threads:
    for outcome in threads.map(send, sys.stdin.readlines()):
        print(outcome)
