"""What Python's grpcio makes of wirebin, by stubs of its own compiler. FOREIGN_URL is the service."""

import os
import sys
import threading
import unittest
from urllib.parse import urlsplit

sys.path.insert(0, os.environ['FOREIGN_STUBS'])

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from google.protobuf.descriptor_pool import DescriptorPool
from grpcbin import grpcbin_pb2
from wirebin.v1 import wirebin_pb2, wirebin_pb2_grpc

URL = urlsplit(os.environ['FOREIGN_URL'])


def channel(**options):
    if URL.scheme == 'http':
        return grpc.insecure_channel(URL.netloc, **options)
    with open(os.environ['REQUESTS_CA_BUNDLE'], 'rb') as file:
        return grpc.secure_channel(URL.netloc, grpc.ssl_channel_credentials(file.read()), **options)


class Grpcio(unittest.TestCase):
    def setUp(self):
        self.channel = channel()
        self.addCleanup(self.channel.close)
        self.wirebin = wirebin_pb2_grpc.WirebinStub(self.channel)

    def method(self, path, request, response, kind='unary_unary'):
        make = getattr(self.channel, kind)
        return make(path, request.SerializeToString, response.FromString)

    def fails(self, code, call):
        with self.assertRaises(grpc.RpcError) as raised:
            call()
        self.assertEqual(raised.exception.code(), code)
        return raised.exception

    def test_echo_tells_metadata_and_deadline(self):
        metadata = (('a', '1'), ('a', '2'), ('b-bin', b'\x00\xff'))
        echo = self.wirebin.Echo(wirebin_pb2.EchoRequest(message='\u00e9'), metadata=metadata, timeout=30)
        told = [(entry.name, entry.value) for entry in echo.metadata if entry.name == 'a']
        self.assertEqual(told, [('a', '1'), ('a', '2')])
        self.assertEqual([entry.binary for entry in echo.metadata if entry.name == 'b-bin'], [b'\x00\xff'])
        self.assertEqual(echo.request.message, '\u00e9')
        self.assertTrue(0 < echo.timeout_ms <= 31_000)
        self.assertEqual(echo.HasField('tls'), URL.scheme == 'https')

    def test_respond_with_messages(self):
        messages = list(self.wirebin.Respond(wirebin_pb2.RespondRequest(count=1000, size=100)))
        self.assertEqual([len(message.payload) for message in messages], [100] * 1000)

    def test_respond_with_status(self):
        request = wirebin_pb2.RespondRequest(code=8, message='100 % \u00e9', count=2)
        request.headers.add(name='a', value='1')
        request.trailers.add(name='b-bin', binary=b'\xff')
        request.details.add(type_url='type.googleapis.com/a.B', value=b'x')
        call = self.wirebin.Respond(request)
        received = []
        error = self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: received.extend(call))
        self.assertEqual(error.details(), '100 % \u00e9')
        self.assertIn(('a', '1'), [tuple(entry) for entry in call.initial_metadata()])
        self.assertEqual(dict(call.trailing_metadata())['b-bin'], b'\xff')

    def test_respond_compressed(self):
        request = wirebin_pb2.RespondRequest(count=3, size=100_000, compressed=True)
        self.assertEqual(len(list(self.wirebin.Respond(request))), 3)

    def test_send_compressed(self):
        with channel(compression=grpc.Compression.Gzip) as compressing:
            stub = wirebin_pb2_grpc.WirebinStub(compressing)
            echo = stub.Echo(wirebin_pb2.EchoRequest(payload=bytes(10_000)))
        self.assertTrue(echo.compressed)
        self.assertEqual(echo.encoding, 'gzip')

    def test_deadline(self):
        request = wirebin_pb2.RespondRequest(delay_ms=20_000)
        call = self.wirebin.Respond(request, timeout=0.2)
        self.fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(call))

    def test_cancellation(self):
        call = self.wirebin.Respond(wirebin_pb2.RespondRequest(count=100, interval_ms=100))
        next(call)
        call.cancel()
        self.fails(grpc.StatusCode.CANCELLED, lambda: list(call))

    def test_stream_in_turn(self):
        turn = threading.Semaphore()

        def requests():
            for _ in range(50):
                turn.acquire()
                yield wirebin_pb2.StreamRequest(payload=b'abc', size=5)

        numbers = []
        for response in self.wirebin.Stream(requests()):
            numbers.append((response.request, len(response.payload), response.received_bytes))
            turn.release()
        self.assertEqual(numbers, [(at, 5, 3 * at) for at in range(1, 51)])

    def test_large_messages(self):
        echo = self.wirebin.Echo(wirebin_pb2.EchoRequest(payload=bytes(2_000_000)))
        self.assertEqual(len(echo.request.payload), 2_000_000)

    def test_too_large_messages(self):
        request = wirebin_pb2.EchoRequest(payload=bytes(4_000_000))
        self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.wirebin.Echo(request))

    def test_unimplemented(self):
        call = self.method('/a.B/C', wirebin_pb2.EchoRequest, wirebin_pb2.EchoResponse)
        self.fails(grpc.StatusCode.UNIMPLEMENTED, lambda: call(wirebin_pb2.EchoRequest()))

    def test_grpcbin(self):
        dummy = grpcbin_pb2.DummyMessage(f_strings=['a', ''], f_int64=-(2**63), f_enums=[1, 0], f_floats=[0.5], f_subs=[{}])
        call = self.method('/grpcbin.GRPCBin/DummyUnary', grpcbin_pb2.DummyMessage, grpcbin_pb2.DummyMessage)
        self.assertEqual(call(dummy), dummy)

    def test_health(self):
        stub = health_pb2_grpc.HealthStub(self.channel)
        self.assertEqual(stub.Check(health_pb2.HealthCheckRequest()).status, 1)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service='a.B'))
        self.assertEqual(next(watch).status, 3)
        watch.cancel()
        unknown = health_pb2.HealthCheckRequest(service='a.B')
        self.fails(grpc.StatusCode.NOT_FOUND, lambda: stub.Check(unknown))

    def test_reflection(self):
        pool = DescriptorPool(ProtoReflectionDescriptorDatabase(self.channel))
        service = pool.FindServiceByName('grpc.testing.TestService')
        self.assertIn('UnaryCall', service.methods_by_name)
        message = pool.FindMessageTypeByName('wirebin.v1.EchoResponse')
        self.assertIn('metadata', message.fields_by_name)

    def test_faults(self):
        codes = {
            'rst_after_header': 'INTERNAL UNKNOWN UNAVAILABLE CANCELLED',
            'missing-trailers': 'INTERNAL UNKNOWN',
            'http-status': 'UNAVAILABLE',
            'too-long': 'RESOURCE_EXHAUSTED',
            'compressed': 'INTERNAL',
        }
        for name, expected in codes.items():
            with self.subTest(name), channel() as own, self.assertRaises(grpc.RpcError) as raised:
                wirebin_pb2_grpc.WirebinStub(own).Echo(
                    wirebin_pb2.EchoRequest(payload=b'abc'), metadata=(('wirebin-fault', name),), timeout=10)
            self.assertIn(raised.exception.code().name, expected.split(), f'{name}: {raised.exception.details()}')

    def test_calls_that_are_completed(self):
        for name in 'goaway ping max_streams'.split():
            for _ in range(3):
                self.wirebin.Echo(wirebin_pb2.EchoRequest(), metadata=(('wirebin-fault', name),), timeout=10)
