from proxy.http import Url
from proxy.http.server import ReverseProxyBasePlugin


class Origin(ReverseProxyBasePlugin):
    def routes(self):
        return ["/"]

    def handle_route(self, request, pattern):
        return Url.from_bytes(b"http://127.0.0.1:8080" + request.path)
