"""Runs tests by pytest in a directory against the httpbin at FOREIGN_URL and FOREIGN_SECURE_URL.

It prints a line of JSON for each test. Without FOREIGN_URL, the tests run against httpbin itself, which
pytest-httpbin starts in this process.
"""

import contextlib
import json
import os
import sys
from urllib.parse import urlsplit

# This directory has a stand-in for httpbin.
sys.path.pop(0)

import pytest
from pytest_httpbin import certs, serve

SERVED = {'http': os.environ.get('FOREIGN_URL'), 'https': os.environ.get('FOREIGN_SECURE_URL')}


class Elsewhere:
    """As much of pytest-httpbin's server as the suites use."""

    protocol = 'http'

    def __init__(self, *_, **__):
        self.url = SERVED[self.protocol]
        parts = urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __add__(self, path):
        return self.url + path

    def join(self, path):
        return self.url + path


class SecureElsewhere(Elsewhere):
    protocol = 'https'


def describe_to_treq():
    """treq starts httpbin in a process of its own."""
    try:
        from treq.test.local_httpbin import parent, shared
        from twisted.internet.defer import succeed
    except ImportError:
        return

    class Process:
        def __init__(self, https):
            self.url = urlsplit(SERVED['https' if https else 'http'])

        def server_description(self, _):
            with open(certs.where()) as certificate:
                cacert = certificate.read()
            return succeed(shared._HTTPBinDescription('localhost', self.url.port, cacert))

        def kill(self):
            return succeed(None)

    parent._HTTPBinProcess = Process


class Outcomes:
    """The worst outcome of each test: of its preparation, of itself and of its end."""

    def __init__(self):
        self.seen = {}

    def pytest_runtest_logreport(self, report):
        outcome = 'failed' if report.failed else 'skipped' if report.skipped else 'passed'
        before = self.seen.get(report.nodeid, ('passed', ''))
        if outcome == 'failed' or before[0] == 'passed':
            reason = str(report.longrepr or '')[-600:]
            self.seen[report.nodeid] = (outcome, reason)

    def print(self):
        for name, (outcome, reason) in self.seen.items():
            print(json.dumps({'name': name, 'outcome': outcome, 'reason': reason}))


if SERVED['http']:
    serve.Server, serve.SecureServer = Elsewhere, SecureElsewhere
    certs.where = lambda: os.environ['FOREIGN_CERTIFICATE']
    describe_to_treq()
outcomes = Outcomes()
os.chdir(sys.argv[1])
with contextlib.redirect_stdout(sys.stderr):
    pytest.main(['-q', '-p', 'no:cacheprovider', *sys.argv[2:]], plugins=[outcomes])
outcomes.print()
