"""The same with Python's h2: every event of the connection until the stream or the connection ends."""

import socket
import ssl
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import h2.connection
import h2.events
import h2.exceptions

base = urlsplit(sys.argv[1])
SECONDS = 5


def connect():
    context = ssl._create_unverified_context()
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection((base.hostname, base.port), SECONDS)
    return context.wrap_socket(plain, server_hostname=base.hostname)


class Transfer:
    def __init__(self, name, method, path, length):
        self.content = bytes(int(length))
        self.status, self.received, self.sent = "", 0, 0
        self.connection = h2.connection.H2Connection()
        self.connection.initiate_connection()
        self.stream = self.connection.get_next_available_stream_id()
        fields = [
            (":method", method),
            (":path", path),
            (":scheme", base.scheme),
            (":authority", base.netloc),
            ("x-wirebin-journal", name),
        ]
        self.connection.send_headers(self.stream, fields, end_stream=not self.content)

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
        if isinstance(event, h2.events.ResponseReceived):
            self.status = dict(event.headers).get(b":status", b"").decode()
        elif isinstance(event, h2.events.DataReceived):
            self.received += len(event.data)
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


def send(line):
    name, *rest = line.rstrip("\n").split("\t")
    transfer = Transfer(name, *rest)
    try:
        with connect() as tls:
            ended = transfer.run(tls)
    except (OSError, h2.exceptions.H2Error) as error:
        ended = f"{type(error).__name__}: {error}"
    return f"{name}\t{transfer.status}\t{transfer.received}\t{' '.join(ended.split())}"


with ThreadPoolExecutor(16) as threads:
    for outcome in threads.map(send, sys.stdin.readlines()):
        print(outcome)
