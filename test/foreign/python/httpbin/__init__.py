"""Stands in for httpbin's package: what its tests do to a Flask application goes over the wire.

FOREIGN_URL is the service, FOREIGN_HTTP the version to speak: 1.1 or 2.
"""

import json
import os

import httpx
from werkzeug.datastructures import Headers

ORIGIN = os.environ['FOREIGN_URL']
HTTP2 = os.environ.get('FOREIGN_HTTP') == '2'


class Response:
    """As much of Flask's as the tests look at."""

    def __init__(self, received):
        self.status_code = received.status_code
        self.headers = Headers(received.headers.multi_items())
        self.data = received.content
        length = received.headers.get('content-length')
        self.content_length = None if length is None else int(length)

    def get_data(self):
        return self.data

    @property
    def json(self):
        return json.loads(self.data)


class Client:
    """As much of Flask's as the tests use; it keeps cookies, as that one does."""

    def __init__(self):
        self.http = httpx.Client(http1=not HTTP2, http2=HTTP2, verify=False, timeout=30)

    def open(self, path, method='GET', headers=(), data=None, content_type=None, environ_base=None):
        pairs = headers.items() if isinstance(headers, dict) else headers
        fields = [(name, value) for name, value in pairs if name]
        names = {name.lower() for name, _ in fields}
        if content_type is not None:
            fields.append(('Content-Type', content_type))
        # The tests want http: in URLs, as Flask's client has it.
        if ORIGIN.startswith('https:') and 'x-forwarded-proto' not in names:
            fields.append(('X-Forwarded-Proto', 'http'))
        content = data.encode('latin1') if isinstance(data, str) else data
        form = None
        if isinstance(data, dict):
            content, form = None, data
        if 'transfer-encoding' in names:
            fields = [pair for pair in fields if pair[0].lower() != 'transfer-encoding']
            content = iter([content])
        sent = self.http.build_request(
            method, ORIGIN + path, headers=fields, content=content, data=form
        )
        return Response(self.http.send(sent))

    def get(self, path, **rest):
        return self.open(path, 'GET', **rest)

    def post(self, path, **rest):
        return self.open(path, 'POST', **rest)

    def delete(self, path, **rest):
        return self.open(path, 'DELETE', **rest)


class app:
    debug = False
    test_client = Client
