import { checkFields } from '../../endpoints/response-headers.ts';
import { Problem } from '../../http/problem.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { pause } from '../../server/pause.ts';
import { base64, RESERVED, type MetadataEntry } from '../../wire/grpc/fields.ts';
import { GrpcStatus } from '../../wire/grpc/status.ts';
import { field, message, optional, repeated, type Message } from '../../wire/protobuf/message.ts';
import { BOOL, BYTES, DOUBLE, INT32, STRING, UINT32, UINT64 } from '../../wire/protobuf/types.ts';
import type { Call } from '../call.ts';
import { CALL_FAULTS, faultOf } from '../faults.ts';
import { bidiStreaming, serverStreaming, unary, type ServedFile } from '../service.ts';
import { echoMessages, echoOf, EchoRequest, EchoResponse, Metadata } from './wirebin-echo.ts';

const Detail = message(
  'wirebin.v1.Detail',
  { type_url: field(1, STRING), value: field(2, BYTES) },
  'As google.protobuf.Any.',
);
/** What grpc-status-details-bin has. */
const RpcStatus = message('google.rpc.Status', {
  code: field(1, INT32),
  message: field(2, STRING),
  details: repeated(3, Detail),
});
const RespondRequest = message('wirebin.v1.RespondRequest', {
  code: field(1, INT32, 'The status code, any number from 0. 0 is OK.'),
  message: field(2, STRING, 'The status message, of which 2,048 characters are sent.'),
  details: repeated(3, Detail, 'Of a google.rpc.Status with code and message.'),
  headers: repeated(4, Metadata, 'Initial metadata.'),
  trailers: repeated(5, Metadata, 'Trailing metadata.'),
  delay_ms: field(6, DOUBLE, 'Before the header section.'),
  count: optional(7, UINT32, 'Messages, 1 by default, at most 100,000.'),
  size: field(8, UINT32, 'Bytes of payload of each message; 10 MiB at most in all.'),
  interval_ms: field(9, DOUBLE, 'Between two messages.'),
  compressed: field(10, BOOL, 'Whether to compress messages, if the client accepts gzip.'),
  fault: field(11, STRING, `One of ${[...CALL_FAULTS.keys()].join(', ')}.`),
});
const RespondResponse = message('wirebin.v1.RespondResponse', {
  number: field(1, UINT32, 'From 1.'),
  payload: field(2, BYTES),
});
const StreamRequest = message('wirebin.v1.StreamRequest', {
  count: optional(1, UINT32, 'Responses to this message, 1 by default.'),
  size: field(2, UINT32, 'Bytes of payload of each response.'),
  interval_ms: field(3, DOUBLE, 'Between two responses.'),
  pause_ms: field(4, DOUBLE, 'For which no further message is read.'),
  payload: field(5, BYTES, 'Any bytes.'),
});
const StreamResponse = message('wirebin.v1.StreamResponse', {
  request: field(1, UINT64, 'The number of the request that this responds to, from 1.'),
  number: field(2, UINT64, 'The number of the response in the call, from 1.'),
  payload: field(3, BYTES),
  received_bytes: field(4, UINT64, 'Payload of all requests so far.'),
  unread_bytes: field(5, UINT64, 'Bytes of requests that have arrived, and are not read yet.'),
  queued_bytes: field(6, UINT64, 'Bytes of earlier responses that wait for the client.'),
  waited_ms: field(7, DOUBLE, 'For which sending has waited for the client in all.'),
});

const MAX_COUNT = 100_000;
/** Names of fields that gRPC, or CORS of gRPC-Web, has in responses. */
const OWN = /^(?:grpc|access-control)-/;

/** wirebin's own service. */
export const wirebinService: ServedFile = {
  name: 'wirebin/v1/wirebin.proto',
  package: 'wirebin.v1',
  messages: [
    ...echoMessages,
    RespondRequest,
    RespondResponse,
    Detail,
    StreamRequest,
    StreamResponse,
  ],
  services: [
    {
      name: 'wirebin.v1.Wirebin',
      methods: {
        Echo: unary(EchoRequest, EchoResponse, echoOf),
        Respond: serverStreaming(RespondRequest, RespondResponse, responses),
        Stream: bidiStreaming(StreamRequest, StreamResponse, exchange),
      },
    },
  ],
};

type RespondCall = Call<Message<typeof RespondRequest>, Message<typeof RespondResponse>>;

async function* responses(
  request: Message<typeof RespondRequest>,
  call: RespondCall,
): AsyncGenerator<Message<typeof RespondResponse>> {
  const { code = 0, count = 1, size = 0, delay_ms = 0, interval_ms = 0, fault } = request;
  checkContent(count, size);
  if (code < 0) throw invalid(`code=${code} is negative`);
  call.addWaits('delay_ms and interval_ms', [delay_ms, interval_ms * count]);
  call.addHeaders(...entriesOf(request.headers));
  call.addTrailers(...entriesOf(request.trailers));
  if (fault) call.fault = faultOf(fault);
  call.compresses = request.compressed ?? false;
  await pause(delay_ms / 1000, call.signal);
  const payload = Buffer.alloc(size);
  for (let number = 1; number <= count; number++) {
    yield { number, payload };
    if (number < count) await pause(interval_ms / 1000, call.signal);
  }
  if (code === 0) return;
  // It has the fields of a google.rpc.Status, and others.
  throw new GrpcStatus(code, request.message, request.details && RpcStatus.encode(request));
}

/** @throws GrpcStatus if they cannot be sent */
function entriesOf(entries: readonly Message<typeof Metadata>[] = []): MetadataEntry[] {
  const all = entries.map(({ name: given = '', value = '', binary }): MetadataEntry => {
    const name = given.toLowerCase();
    return [name, name.endsWith('-bin') ? (binary ?? Buffer.from(value, 'base64')) : value];
  });
  const own = all.find(([name]) => OWN.test(name) || RESERVED.has(name));
  if (own) throw invalid(`${own[0]} is a field of the protocol`);
  try {
    checkFields(
      all.map(([name, value]) => [name, typeof value === 'string' ? value : base64(value)]),
    );
  } catch (error) {
    throw error instanceof Problem ? invalid(error.message) : error;
  }
  return all;
}

type StreamCall = Call<Message<typeof StreamRequest>, Message<typeof StreamResponse>>;

async function* exchange(call: StreamCall): AsyncGenerator<Message<typeof StreamResponse>> {
  const { signal } = call;
  let request = 0n;
  let number = 0n;
  let received = 0n;
  for await (const {
    count = 1,
    size = 0,
    interval_ms = 0,
    pause_ms = 0,
    payload,
  } of call.messages()) {
    request++;
    received += BigInt(payload?.length ?? 0);
    checkContent(count, size);
    call.addWaits('pause_ms and interval_ms', [pause_ms, interval_ms * count]);
    for (let left = count; left > 0; left--) {
      const { unread, queued, waited } = call;
      yield {
        request,
        number: ++number,
        payload: Buffer.alloc(size),
        received_bytes: received,
        unread_bytes: BigInt(unread),
        queued_bytes: BigInt(queued),
        waited_ms: waited,
      };
      if (left > 1) await pause(interval_ms / 1000, signal);
    }
    await pause(pause_ms / 1000, signal);
  }
}

function checkContent(count: number, size: number): void {
  if (count > MAX_COUNT) throw invalid(`count=${count} exceeds the maximum of ${MAX_COUNT}`);
  if (count * size <= MAX_REQUESTED_CONTENT) return;
  throw invalid(
    `${count} messages of ${size} bytes exceed the maximum of ${MAX_REQUESTED_CONTENT}`,
  );
}

function invalid(text: string): GrpcStatus {
  return new GrpcStatus('INVALID_ARGUMENT', text);
}
