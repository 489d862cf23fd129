"""httpx, with a client for each transfer."""

import ssl
from contextlib import contextmanager

import httpx

from transfers import IS_HTTP2, SECONDS, send_all

# Shared, as it takes longer to make than a transfer.
CONTEXT = ssl._create_unverified_context()


@contextmanager
def opened():
    with httpx.Client(verify=CONTEXT, http1=not IS_HTTP2, http2=IS_HTTP2, timeout=SECONDS) as client:

        def send(request, report):
            options = {"content": request.content, "headers": request.fields}
            with client.stream(request.method, request.url, **options) as response:
                report.status = response.status_code
                for piece in response.iter_bytes():
                    report.received += len(piece)

        yield send


send_all(opened)
