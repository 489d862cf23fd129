"""requests, with a session for each transfer."""

import warnings
from contextlib import contextmanager

import requests

from transfers import SECONDS, send_all

warnings.simplefilter("ignore")


@contextmanager
def opened():
    with requests.Session() as session:

        def send(request, report):
            options = {"headers": request.fields, "timeout": SECONDS, "stream": True, "verify": False}
            with session.request(
                request.method, request.url, data=request.content, **options
            ) as response:
                report.status = response.status_code
                for piece in response.iter_content(4096):
                    report.received += len(piece)

        yield send


send_all(opened)
