import { pause } from '../../../src/server/pause.ts';
import type { Call } from '../../../src/grpc/call.ts';
import {
  bidiStreaming,
  clientStreaming,
  serverStreaming,
  type ServedFile,
} from '../../../src/grpc/service.ts';
import { fieldPairs } from '../../../src/http/fields.ts';
import type { MetadataEntry } from '../../../src/wire/grpc/fields.ts';
import { GrpcStatus } from '../../../src/wire/grpc/status.ts';
import {
  field,
  member,
  message,
  optional,
  repeated,
  type Message,
  type MessageType,
} from '../../../src/wire/protobuf/message.ts';
import { BOOL, BYTES, INT32, INT64, STRING, UINT32 } from '../../../src/wire/protobuf/types.ts';

// The part of connectrpc.conformance.v1 that is used of a server under test.

const PACKAGE = 'connectrpc.conformance.v1';

export const ServerCompatRequest = message(`${PACKAGE}.ServerCompatRequest`, {
  http_version: field(2, INT32),
  use_tls: field(4, BOOL),
  client_tls_cert: field(5, BYTES),
  message_receive_limit: field(6, UINT32),
  server_creds: field(
    7,
    message(`${PACKAGE}.TLSCreds`, { cert: field(1, BYTES), key: field(2, BYTES) }),
  ),
});
export const ServerCompatResponse = message(`${PACKAGE}.ServerCompatResponse`, {
  host: field(1, STRING),
  port: field(2, UINT32),
  pem_cert: field(3, BYTES),
});

const Any = message('google.protobuf.Any', { type_url: field(1, STRING), value: field(2, BYTES) });
const Header = message(`${PACKAGE}.Header`, { name: field(1, STRING), value: repeated(2, STRING) });
const ErrorMessage = message(`${PACKAGE}.Error`, {
  code: field(1, INT32),
  message: optional(2, STRING),
  details: repeated(3, Any),
});
const RequestInfo = message(`${PACKAGE}.ConformancePayload.RequestInfo`, {
  request_headers: repeated(1, Header),
  timeout_ms: optional(2, INT64),
  requests: repeated(3, Any),
});
const Payload = message(`${PACKAGE}.ConformancePayload`, {
  data: field(1, BYTES),
  request_info: field(2, RequestInfo),
});
const UnaryDefinition = message(`${PACKAGE}.UnaryResponseDefinition`, {
  response_headers: repeated(1, Header),
  response_data: member('response', 2, BYTES),
  error: member('response', 3, ErrorMessage),
  response_trailers: repeated(4, Header),
  response_delay_ms: field(6, UINT32),
});
const StreamDefinition = message(`${PACKAGE}.StreamResponseDefinition`, {
  response_headers: repeated(1, Header),
  response_data: repeated(2, BYTES),
  response_delay_ms: field(3, UINT32),
  error: field(4, ErrorMessage),
  response_trailers: repeated(5, Header),
});
const unaryRequest = (name: string) =>
  message(`${PACKAGE}.${name}`, {
    response_definition: field(1, UnaryDefinition),
    request_data: field(2, BYTES),
  });
const UnaryRequest = unaryRequest('UnaryRequest');
const IdempotentUnaryRequest = unaryRequest('IdempotentUnaryRequest');
const ClientStreamRequest = unaryRequest('ClientStreamRequest');
const ServerStreamRequest = message(`${PACKAGE}.ServerStreamRequest`, {
  response_definition: field(1, StreamDefinition),
  request_data: field(2, BYTES),
});
const BidiStreamRequest = message(`${PACKAGE}.BidiStreamRequest`, {
  response_definition: field(1, StreamDefinition),
  full_duplex: field(2, BOOL),
  request_data: field(3, BYTES),
});
const Response = message(`${PACKAGE}.Response`, { payload: field(1, Payload) });
const Status = message('google.rpc.Status', {
  code: field(1, INT32),
  message: field(2, STRING),
  details: repeated(3, Any),
});

type AnyCall = Call<unknown, unknown>;
type Details = Message<typeof Any>;

const anyOf = <T>(type: MessageType<T>, value: T): Details => ({
  type_url: `type.googleapis.com/${type.name}`,
  value: type.encode(value),
});

function infoOf<T>(
  call: AnyCall,
  type: MessageType<T>,
  requests: readonly T[],
): Message<typeof RequestInfo> {
  const headers = new Map<string, string[]>();
  for (const [name, value] of fieldPairs(call.request.fields)) {
    const values = headers.get(name) ?? [];
    values.push(value);
    headers.set(name, values);
  }
  const { deadline } = call;
  return {
    request_headers: Array.from(headers, ([name, value]) => ({ name, value })),
    timeout_ms:
      deadline === undefined ? undefined : BigInt(Math.round(deadline - call.request.receivedAt)),
    requests: requests.map((each) => anyOf(type, each)),
  };
}

function entriesOf(headers: readonly Message<typeof Header>[] = []): MetadataEntry[] {
  return headers.flatMap(({ name = '', value = [] }) =>
    value.map((each): MetadataEntry => [
      name.toLowerCase(),
      /-bin$/i.test(name) ? Buffer.from(each, 'base64') : each,
    ]),
  );
}

function describe(
  call: AnyCall,
  definition: Pick<Message<typeof StreamDefinition>, 'response_headers' | 'response_trailers'> = {},
): void {
  call.addHeaders(...entriesOf(definition.response_headers));
  call.addTrailers(...entriesOf(definition.response_trailers));
}

function statusOf(
  { code = 0, message: text = '', details = [] }: Message<typeof ErrorMessage>,
  info: Message<typeof RequestInfo> | undefined,
): GrpcStatus {
  const all = info ? [...details, anyOf(RequestInfo, info)] : details;
  return new GrpcStatus(code, text, Status.encode({ code, message: text, details: all }));
}

async function unaryResponse<T>(
  call: AnyCall,
  type: MessageType<T>,
  requests: readonly T[],
  definition: Message<typeof UnaryDefinition> | undefined,
): Promise<Message<typeof Response>> {
  const info = infoOf(call, type, requests);
  describe(call, definition);
  await pause((definition?.response_delay_ms ?? 0) / 1000, call.signal);
  if (definition?.error) throw statusOf(definition.error, info);
  return { payload: { data: definition?.response_data, request_info: info } };
}

type Responses = AsyncGenerator<Message<typeof Response>>;

async function* streamResponses<T>(
  call: AnyCall,
  type: MessageType<T>,
  requests: readonly T[],
  definition: Message<typeof StreamDefinition> = {},
): Responses {
  const isDescribed = Object.keys(definition).length > 0;
  const info = infoOf(call, type, requests);
  describe(call, definition);
  const { response_data: all = [], response_delay_ms: delay = 0, error } = definition;
  if (isDescribed) call.sendHeaders();
  for (const [at, data] of all.entries()) {
    await pause(delay / 1000, call.signal);
    yield { payload: { data, request_info: at === 0 ? info : undefined } };
  }
  if (error) throw statusOf(error, all.length === 0 ? info : undefined);
}

async function* bidiResponses(
  call: Call<Message<typeof BidiStreamRequest>, Message<typeof Response>>,
): Responses {
  const requests: Message<typeof BidiStreamRequest>[] = [];
  let definition: Message<typeof StreamDefinition> | undefined;
  let isFull = false;
  let sent = 0;
  for await (const request of call.messages()) {
    requests.push(request);
    if (requests.length === 1) {
      definition = request.response_definition;
      isFull = request.full_duplex ?? false;
      if (isFull) {
        describe(call, definition);
        if (definition) call.sendHeaders();
      }
    }
    if (!isFull) continue;
    const data = definition?.response_data?.[sent];
    if (!data) break;
    await pause((definition?.response_delay_ms ?? 0) / 1000, call.signal);
    const own = { requests: [anyOf(BidiStreamRequest, request)] };
    const info = sent++ === 0 ? infoOf(call, BidiStreamRequest, requests) : own;
    yield { payload: { data, request_info: info } };
  }
  if (!isFull) {
    yield* streamResponses(call, BidiStreamRequest, requests, definition);
    return;
  }
  for (const data of definition?.response_data?.slice(sent) ?? []) {
    await pause((definition?.response_delay_ms ?? 0) / 1000, call.signal);
    const info = sent++ === 0 ? infoOf(call, BidiStreamRequest, requests) : undefined;
    yield { payload: { data, request_info: info } };
  }
  if (definition?.error) {
    const info = sent === 0 ? infoOf(call, BidiStreamRequest, requests) : undefined;
    throw statusOf(definition.error, info);
  }
}

/** The service that the reference client calls (its docs/testing_servers.md). */
export const conformance: ServedFile = {
  name: 'connectrpc/conformance/v1/service.proto',
  package: PACKAGE,
  messages: [],
  services: [
    {
      name: `${PACKAGE}.ConformanceService`,
      methods: {
        Unary: {
          ...serverStreaming(UnaryRequest, Response, async function* (request, call) {
            yield await unaryResponse(call, UnaryRequest, [request], request.response_definition);
          }),
          streamsResponses: false,
        },
        IdempotentUnary: {
          ...serverStreaming(IdempotentUnaryRequest, Response, async function* (request, call) {
            yield await unaryResponse(
              call,
              IdempotentUnaryRequest,
              [request],
              request.response_definition,
            );
          }),
          streamsResponses: false,
        },
        ClientStream: clientStreaming(ClientStreamRequest, Response, async (call) => {
          const requests: Message<typeof ClientStreamRequest>[] = [];
          for await (const request of call.messages()) requests.push(request);
          const [first] = requests;
          return unaryResponse(call, ClientStreamRequest, requests, first?.response_definition);
        }),
        ServerStream: serverStreaming(ServerStreamRequest, Response, (request, call) =>
          streamResponses(call, ServerStreamRequest, [request], request.response_definition),
        ),
        BidiStream: bidiStreaming(BidiStreamRequest, Response, bidiResponses),
      },
    },
  ],
};
