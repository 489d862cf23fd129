"""The common part of the client programs in Python. They send the requests on standard input, and print a
line for each. test/foreign/faults/_program.ts has the format of both."""

import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

BASE = sys.argv[1]
IS_HTTP2 = sys.argv[2] == "2"
SECONDS = 5
# Seconds before a second request, in which the origin does what it does with the connection.
PAUSE = 0.3


@dataclass
class Request:
    name: str
    method: str
    path: str
    content: bytes | None
    fields: dict

    @property
    def url(self):
        return BASE + self.path


@dataclass
class Report:
    status: object = ""
    received: int = 0
    seen: list = field(default_factory=list)


class Told(Exception):
    """An error with a message of its own, for clients that report a code or an event instead of an exception."""


def words(error):
    if isinstance(error, Told):
        return str(error)
    # The repr of an object has an address, and an error a port.
    text = re.sub(r"<(?:\w+\.)*(\w+) object at \S+>|0x[0-9a-f]{6,}", r"\1", str(error))
    text = re.sub(r"port=[0-9]+", "port=N", text)
    return f"{type(error).__name__}: {' '.join(text.split())}".removesuffix(": ")


def line_of(name, report, ended):
    seen = "; ".join(dict.fromkeys(map(str, report.seen)))
    return "\t".join([name, str(report.status), str(report.received), ended, seen])


def requests_of(line):
    """The request of a line, and the one that follows it on the same client."""
    name, method, path, length, *rest = line.rstrip("\n").split("\t")
    added, following = (rest + ["", ""])[:2]
    fields = {"X-Wirebin-Journal": name}
    if added:
        key, value = added.split(": ")
        fields[key] = value
    yield Request(name, method, path, bytes(int(length)) or None, fields)
    if following:
        method, path = following.split(" ")
        content = bytes(10) if method == "POST" else None
        yield Request(f"{name}+", method, path, content, {"X-Wirebin-Journal": f"{name}+"})


def send_all(opened):
    """Sends all requests, each by a client of its own: `opened` makes it, as a context manager whose value fills
    in a report of a request."""

    def send(line):
        outcomes = []
        with opened() as client:
            for request in requests_of(line):
                if outcomes:
                    time.sleep(PAUSE)
                report = Report()
                ended = ""
                try:
                    client(request, report)
                except Exception as error:
                    ended = words(error)
                outcomes.append(line_of(request.name, report, ended))
        return outcomes

    with ThreadPoolExecutor(8) as threads:
        for outcomes in threads.map(send, sys.stdin.readlines()):
            print("\n".join(outcomes))
