import { pause } from '../../server/pause.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { GrpcStatus } from '../../wire/grpc/status.ts';
import { field, map, message, repeated, type Message } from '../../wire/protobuf/message.ts';
import { BOOL, BYTES, DOUBLE, enumeration, INT32, STRING } from '../../wire/protobuf/types.ts';
import type { Call } from '../call.ts';
import {
  bidiStreaming,
  clientStreaming,
  serverStreaming,
  unary,
  type ServedFile,
  type Service,
} from '../service.ts';

const Empty = message('grpc.testing.Empty', {});
const BoolValue = message('grpc.testing.BoolValue', { value: field(1, BOOL) });
const PayloadType = enumeration('grpc.testing.PayloadType', { COMPRESSABLE: 0 });
const Payload = message('grpc.testing.Payload', {
  type: field(1, PayloadType),
  body: field(2, BYTES),
});
const EchoStatus = message('grpc.testing.EchoStatus', {
  code: field(1, INT32),
  message: field(2, STRING),
});
const TestOrcaReport = message('grpc.testing.TestOrcaReport', {
  cpu_utilization: field(1, DOUBLE),
  memory_utilization: field(2, DOUBLE),
  request_cost: map(3, STRING, DOUBLE),
  utilization: map(4, STRING, DOUBLE),
});
const GrpclbRouteType = enumeration('grpc.testing.GrpclbRouteType', {
  GRPCLB_ROUTE_TYPE_UNKNOWN: 0,
  GRPCLB_ROUTE_TYPE_FALLBACK: 1,
  GRPCLB_ROUTE_TYPE_BACKEND: 2,
});
const SimpleRequest = message('grpc.testing.SimpleRequest', {
  response_type: field(1, PayloadType),
  response_size: field(2, INT32),
  payload: field(3, Payload),
  fill_username: field(4, BOOL),
  fill_oauth_scope: field(5, BOOL),
  response_compressed: field(6, BoolValue),
  response_status: field(7, EchoStatus),
  expect_compressed: field(8, BoolValue),
  fill_server_id: field(9, BOOL),
  fill_grpclb_route_type: field(10, BOOL),
  orca_per_query_report: field(11, TestOrcaReport),
});
const SimpleResponse = message('grpc.testing.SimpleResponse', {
  payload: field(1, Payload),
  username: field(2, STRING),
  oauth_scope: field(3, STRING),
  server_id: field(4, STRING),
  grpclb_route_type: field(5, GrpclbRouteType),
  hostname: field(6, STRING),
});
const StreamingInputCallRequest = message('grpc.testing.StreamingInputCallRequest', {
  payload: field(1, Payload),
  expect_compressed: field(2, BoolValue),
});
const StreamingInputCallResponse = message('grpc.testing.StreamingInputCallResponse', {
  aggregated_payload_size: field(1, INT32),
});
const ResponseParameters = message('grpc.testing.ResponseParameters', {
  size: field(1, INT32),
  interval_us: field(2, INT32),
  compressed: field(3, BoolValue),
});
const StreamingOutputCallRequest = message('grpc.testing.StreamingOutputCallRequest', {
  response_type: field(1, PayloadType),
  response_parameters: repeated(2, ResponseParameters),
  payload: field(3, Payload),
  response_status: field(7, EchoStatus),
  orca_oob_report: field(8, TestOrcaReport),
});
const StreamingOutputCallResponse = message('grpc.testing.StreamingOutputCallResponse', {
  payload: field(1, Payload),
});

type Parameters = Message<typeof ResponseParameters>;
type OutputRequest = Message<typeof StreamingOutputCallRequest>;
type OutputResponse = Message<typeof StreamingOutputCallResponse>;
type AnyCall = Call<unknown, unknown>;

/** Metadata that comes back, as initial and as trailing metadata. */
const ECHO_INITIAL = 'x-grpc-test-echo-initial';
const ECHO_TRAILING = 'x-grpc-test-echo-trailing-bin';

/** Responses that HalfDuplexCall keeps until the end of the request. */
const MAX_KEPT = 1000;

const unaryCall = unary(SimpleRequest, SimpleResponse, (request, call) => {
  echoMetadata(call);
  checkCompression(request.expect_compressed, call);
  throwStatus(request.response_status);
  call.compresses = request.response_compressed?.value ?? false;
  const { connection } = call.request;
  return {
    payload: payload(request.response_type, request.response_size, call),
    server_id: request.fill_server_id === true ? connection.process : '',
    hostname: connection.instance ?? '',
  };
});

/** The service of gRPC's interoperability tests (grpc/grpc doc/interop-test-descriptions.md). */
const testService: Service = {
  name: 'grpc.testing.TestService',
  methods: {
    EmptyCall: unary(Empty, Empty, (_, call) => {
      echoMetadata(call);
      return {};
    }),
    UnaryCall: unaryCall,
    CacheableUnaryCall: unary(SimpleRequest, SimpleResponse, (_, call) => {
      call.addHeaders(['cache-control', 'max-age=60, public']);
      // The time tells whether a cache has answered.
      return { payload: { body: Buffer.from(String(performance.now())) } };
    }),
    StreamingOutputCall: serverStreaming(
      StreamingOutputCallRequest,
      StreamingOutputCallResponse,
      (request, call) => {
        echoMetadata(call);
        return responses(request, call);
      },
    ),
    StreamingInputCall: clientStreaming(
      StreamingInputCallRequest,
      StreamingInputCallResponse,
      async (call) => {
        echoMetadata(call);
        let size = 0;
        for await (const request of call.messages()) {
          checkCompression(request.expect_compressed, call);
          size += request.payload?.body?.length ?? 0;
        }
        return { aggregated_payload_size: size };
      },
    ),
    FullDuplexCall: bidiStreaming(
      StreamingOutputCallRequest,
      StreamingOutputCallResponse,
      async function* fullDuplex(call) {
        echoMetadata(call);
        for await (const request of call.messages()) yield* responses(request, call);
      },
    ),
    HalfDuplexCall: bidiStreaming(
      StreamingOutputCallRequest,
      StreamingOutputCallResponse,
      async function* halfDuplex(call) {
        echoMetadata(call);
        const kept: Parameters[] = [];
        for await (const { response_parameters: parameters = [] } of call.messages()) {
          if (kept.length + parameters.length > MAX_KEPT) {
            throw new GrpcStatus('RESOURCE_EXHAUSTED', `more than ${MAX_KEPT} responses`);
          }
          kept.push(...parameters);
        }
        yield* responses({ response_parameters: kept }, call);
      },
    ),
    UnimplementedCall: unary(Empty, Empty, unimplemented),
  },
};

/** A service without an implementation, which clients test for. */
const unimplementedService: Service = {
  name: 'grpc.testing.UnimplementedService',
  methods: { UnimplementedCall: unary(Empty, Empty, unimplemented) },
};

const EMPTY: ServedFile = {
  name: 'grpc/testing/empty.proto',
  package: 'grpc.testing',
  messages: [Empty],
};
const MESSAGES: ServedFile = {
  name: 'grpc/testing/messages.proto',
  package: 'grpc.testing',
  enums: [PayloadType, GrpclbRouteType],
  messages: [
    BoolValue,
    Payload,
    EchoStatus,
    SimpleRequest,
    SimpleResponse,
    StreamingInputCallRequest,
    StreamingInputCallResponse,
    ResponseParameters,
    StreamingOutputCallRequest,
    StreamingOutputCallResponse,
    TestOrcaReport,
  ],
};
export const testing: readonly ServedFile[] = [
  EMPTY,
  MESSAGES,
  {
    name: 'grpc/testing/test.proto',
    package: 'grpc.testing',
    imports: [EMPTY, MESSAGES],
    messages: [],
    services: [testService, unimplementedService],
  },
];

function unimplemented(): never {
  throw new GrpcStatus('UNIMPLEMENTED', 'the method is not implemented');
}

/** A response for each of the parameters, after its interval. */
async function* responses(
  {
    response_type: type,
    response_parameters: parameters = [],
    response_status: status,
  }: OutputRequest,
  call: AnyCall,
): AsyncGenerator<OutputResponse> {
  throwStatus(status);
  checkParameters(parameters, call);
  for (const { size, interval_us: interval = 0, compressed } of parameters) {
    if (interval > 0) await pause(interval / 1_000_000, call.signal);
    call.compresses = compressed?.value ?? false;
    yield { payload: payload(type, size, call) };
  }
}

/** @throws GrpcStatus if responses are too large, or take too long */
function checkParameters(parameters: readonly Parameters[], call: AnyCall): void {
  const waits = parameters.map(({ interval_us: interval = 0 }) => interval / 1000);
  call.addWaits('interval_us', waits);
  let size = 0;
  for (const each of parameters) size += Math.max(0, each.size ?? 0);
  if (size <= MAX_REQUESTED_CONTENT) return;
  const text = `responses of ${size} bytes exceed the maximum of ${MAX_REQUESTED_CONTENT}`;
  throw new GrpcStatus('INVALID_ARGUMENT', text);
}

/** @throws GrpcStatus if the payload cannot be made */
function payload(type: number | undefined, size = 0, { limits: { maxMessage } }: AnyCall) {
  if (type) throw new GrpcStatus('INVALID_ARGUMENT', `payload type ${type} is unknown`);
  if (size < 0 || size > maxMessage) {
    throw new GrpcStatus('INVALID_ARGUMENT', `size ${size} is not from 0 to ${maxMessage}`);
  }
  return { body: new Uint8Array(size) };
}

function echoMetadata(call: AnyCall): void {
  const { metadata } = call;
  const named = (name: string) => metadata.filter(([other]) => other === name);
  call.addHeaders(...named(ECHO_INITIAL));
  call.addTrailers(...named(ECHO_TRAILING));
}

function checkCompression(expected: Message<typeof BoolValue> | undefined, call: AnyCall): void {
  if (!expected || (expected.value ?? false) === call.isCompressed) return;
  const was = call.isCompressed ? 'is' : 'is not';
  throw new GrpcStatus('INVALID_ARGUMENT', `the message ${was} compressed`);
}

function throwStatus(status: Message<typeof EchoStatus> | undefined): void {
  if (!status?.code) return;
  if (status.code > 0) throw new GrpcStatus(status.code, status.message);
  throw new GrpcStatus('INVALID_ARGUMENT', `code=${status.code} is negative`);
}
