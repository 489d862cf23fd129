"""websockets: sends a message once it is open, and closes after the first message that arrives."""

from contextlib import contextmanager

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from transfers import SECONDS, send_all


def transfer(request, report):
    url = request.url.replace("http", "ws")
    with connect(url, open_timeout=SECONDS, close_timeout=1) as socket:
        report.seen.append("open")
        try:
            socket.send("hello")
            socket.recv(timeout=SECONDS)
            report.seen.append("message")
        except ConnectionClosed as error:
            report.seen.append(f"{type(error).__name__}: {error}")
        socket.close()
        report.seen.append(f"close {socket.close_code} {socket.close_reason}".strip())


@contextmanager
def opened():
    yield transfer


send_all(opened)
