"""Reads HTTP/1.x requests with h11, as a server on one connection would.

Input lines: JSON with `id` and `pieces` in base64. Output lines: JSON with `id` and `requests`, those that were read
whole, with text in latin1.
"""

import base64
import json
import sys

import h11


def text(data):
    return bytes(data).decode("latin1")


def lines(headers):
    return [[text(name), text(value)] for name, value in headers.raw_items()]


class Connection:
    def __init__(self):
        self.h11 = h11.Connection(h11.SERVER)
        self.requests = []
        self.request = None

    def read(self, pieces):
        try:
            # An empty piece is the end of the connection.
            for piece in [*pieces, b""]:
                self.h11.receive_data(piece)
                if not self.take():
                    break
        except h11.RemoteProtocolError:
            pass
        return self.requests

    def take(self):
        """Takes events as long as there are any; false if the connection ends with the last request."""
        while True:
            event = self.h11.next_event()
            if event in (h11.NEED_DATA, h11.PAUSED):
                return True
            if isinstance(event, h11.ConnectionClosed):
                return False
            if isinstance(event, h11.Request):
                self.request = {
                    "method": text(event.method),
                    "target": text(event.target),
                    "fields": lines(event.headers),
                    "content": "",
                    "trailers": [],
                }
            elif isinstance(event, h11.Data):
                self.request["content"] += text(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self.request["trailers"] = lines(event.headers)
                self.requests.append(self.request)
                # With 2xx, CONNECT would open a tunnel.
                self.h11.send(h11.Response(status_code=404, headers=[("Content-Length", "0")]))
                self.h11.send(h11.EndOfMessage())
                if self.h11.our_state is not h11.DONE:
                    return False
                self.h11.start_next_cycle()


for line in sys.stdin:
    message = json.loads(line)
    pieces = [base64.b64decode(piece) for piece in message["pieces"]]
    print(json.dumps({"id": message["id"], "requests": Connection().read(pieces)}), flush=True)
