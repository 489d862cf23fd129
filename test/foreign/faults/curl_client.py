"""libcurl by pycurl, with a handle for each transfer, which keeps its connections."""

from contextlib import contextmanager

import pycurl

from transfers import IS_HTTP2, SECONDS, Told, send_all

# libcurl's names of its codes, those that faults can cause; pycurl has several for some.
NAMES = {
    1: "UNSUPPORTED_PROTOCOL",
    7: "COULDNT_CONNECT",
    8: "WEIRD_SERVER_REPLY",
    16: "HTTP2",
    18: "PARTIAL_FILE",
    23: "WRITE_ERROR",
    28: "OPERATION_TIMEDOUT",
    43: "BAD_FUNCTION_ARGUMENT",
    47: "TOO_MANY_REDIRECTS",
    52: "GOT_NOTHING",
    55: "SEND_ERROR",
    56: "RECV_ERROR",
    61: "BAD_CONTENT_ENCODING",
    92: "HTTP2_STREAM",
    100: "TOO_LARGE",
}


class Head:
    """Receives the lines of header and trailer sections."""

    def __init__(self, report):
        self.report = report
        self.is_over = False

    def line(self, line):
        text = line.decode("latin-1")
        if text.startswith("HTTP/"):
            status = (text.split(" ") + [""])[1].strip()
            self.is_over = not status.startswith("1")
            if self.is_over:
                self.report.status = status
            else:
                self.report.seen.append(status)
        elif self.is_over and self.report.received > 0 and ":" in text:
            self.report.seen.append(f"trailer {text.split(':')[0].lower()}")


def options_of(handle, request, report):
    version = pycurl.CURL_HTTP_VERSION_2 if IS_HTTP2 else pycurl.CURL_HTTP_VERSION_1_1
    handle.setopt(pycurl.HTTP_VERSION, version)
    handle.setopt(pycurl.SSL_VERIFYPEER, 0)
    handle.setopt(pycurl.SSL_VERIFYHOST, 0)
    handle.setopt(pycurl.TIMEOUT, SECONDS)
    handle.setopt(pycurl.NOSIGNAL, 1)
    handle.setopt(pycurl.ACCEPT_ENCODING, "")
    handle.setopt(pycurl.URL, request.url)
    if request.content is not None:
        handle.setopt(pycurl.POSTFIELDS, request.content)
    handle.setopt(pycurl.CUSTOMREQUEST, request.method)
    handle.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in request.fields.items()])
    handle.setopt(pycurl.HEADERFUNCTION, Head(report).line)

    def receive(piece):
        report.received += len(piece)

    handle.setopt(pycurl.WRITEFUNCTION, receive)


@contextmanager
def opened():
    # A handle that is reset keeps its connections, and none of its options.
    handle = pycurl.Curl()

    def send(request, report):
        handle.reset()
        options_of(handle, request, report)
        try:
            handle.perform()
        except pycurl.error as error:
            code = error.args[0]
            raise Told(f"{code} {NAMES.get(code, '')}") from error

    yield send
    handle.close()


send_all(opened)
