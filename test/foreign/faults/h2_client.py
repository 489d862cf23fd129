"""Python's h2, with a connection for each transfer: every event until the stream or the connection ends."""

import socket
import ssl
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import h2.connection
import h2.events
import h2.exceptions

from transfers import BASE, SECONDS, Told, send_all

base = urlsplit(BASE)


def connect():
    context = ssl._create_unverified_context()
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection((base.hostname, base.port), SECONDS)
    return context.wrap_socket(plain, server_hostname=base.hostname)


class Transfer:
    def __init__(self, connection, request, report):
        self.connection, self.report = connection, report
        self.content, self.sent = request.content or b"", 0
        self.stream = connection.get_next_available_stream_id()
        head = [
            (":method", request.method),
            (":path", request.path),
            (":scheme", base.scheme),
            (":authority", base.netloc),
        ]
        fields = [(name.lower(), value) for name, value in request.fields.items()]
        connection.send_headers(self.stream, head + fields, end_stream=not self.content)

    def send_content(self):
        while self.sent < len(self.content):
            room = self.connection.local_flow_control_window(self.stream)
            size = min(room, self.connection.max_outbound_frame_size, len(self.content) - self.sent)
            if size == 0:
                return
            last = self.sent + size == len(self.content)
            self.connection.send_data(self.stream, self.content[self.sent : self.sent + size], last)
            self.sent += size

    def handle(self, event):
        """Returns how the transfer ended, undefined while it goes on."""
        report = self.report
        if isinstance(event, h2.events.InformationalResponseReceived):
            report.seen.append(dict(event.headers).get(b":status", b"").decode())
        elif isinstance(event, h2.events.ResponseReceived):
            report.status = dict(event.headers).get(b":status", b"").decode()
        elif isinstance(event, h2.events.TrailersReceived):
            names = ", ".join(name.decode() for name, _ in event.headers)
            report.seen.append(f"trailer {names}")
        elif isinstance(event, h2.events.DataReceived):
            report.received += len(event.data)
            if event.flow_controlled_length:
                self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            return ""
        elif isinstance(event, h2.events.StreamReset):
            return f"StreamReset {int(event.error_code)}"
        elif isinstance(event, h2.events.ConnectionTerminated):
            return f"ConnectionTerminated {int(event.error_code)}, last stream {event.last_stream_id}"
        return None

    def run(self, tls):
        deadline = time.monotonic() + SECONDS
        while True:
            if self.connection.state_machine.state != h2.connection.ConnectionState.CLOSED:
                self.send_content()
            tls.sendall(self.connection.data_to_send())
            tls.settimeout(max(0.001, deadline - time.monotonic()))
            received = tls.recv(65536)
            if not received:
                return "end of connection"
            for event in self.connection.receive_data(received):
                ended = self.handle(event)
                if ended is not None:
                    return ended


@contextmanager
def opened():
    with connect() as tls:
        connection = h2.connection.H2Connection()
        connection.initiate_connection()

        def send(request, report):
            ended = Transfer(connection, request, report).run(tls)
            if ended:
                raise Told(ended)

        yield send


send_all(opened)
