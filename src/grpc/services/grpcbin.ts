import { pause } from '../../server/pause.ts';
import { GrpcStatus, nameOf } from '../../wire/grpc/status.ts';
import { field, map, message, repeated, type Message } from '../../wire/protobuf/message.ts';
import {
  BOOL,
  BYTES,
  enumeration,
  FLOAT,
  INT32,
  INT64,
  STRING,
  UINT32,
} from '../../wire/protobuf/types.ts';
import {
  bidiStreaming,
  clientStreaming,
  serverStreaming,
  unary,
  type Method,
  type ServedFile,
} from '../service.ts';

const Values = message('grpcbin.HeadersMessage.Values', { values: repeated(1, STRING) });
const HeadersMessage = message('grpcbin.HeadersMessage', { Metadata: map(1, STRING, Values) });
const SpecificErrorRequest = message('grpcbin.SpecificErrorRequest', {
  code: field(1, UINT32),
  reason: field(2, STRING),
});
const EmptyMessage = message('grpcbin.EmptyMessage', {});
const Sub = message('grpcbin.DummyMessage.Sub', { f_string: field(1, STRING) });
const Enum = enumeration('grpcbin.DummyMessage.Enum', { ENUM_0: 0, ENUM_1: 1, ENUM_2: 2 });
const DummyMessage = message('grpcbin.DummyMessage', {
  f_string: field(1, STRING),
  f_strings: repeated(2, STRING),
  f_int32: field(3, INT32),
  f_int32s: repeated(4, INT32),
  f_enum: field(5, Enum),
  f_enums: repeated(6, Enum),
  f_sub: field(7, Sub),
  f_subs: repeated(8, Sub),
  f_bool: field(9, BOOL),
  f_bools: repeated(10, BOOL),
  f_int64: field(11, INT64),
  f_int64s: repeated(12, INT64),
  f_bytes: field(13, BYTES),
  f_bytess: repeated(14, BYTES),
  f_float: field(15, FLOAT),
  f_floats: repeated(16, FLOAT),
});
const Endpoint = message('grpcbin.IndexReply.Endpoint', {
  path: field(1, STRING),
  description: field(2, STRING),
});
const IndexReply = message('grpcbin.IndexReply', {
  description: field(1, STRING),
  endpoints: repeated(2, Endpoint),
});

/** Messages of DummyServerStream, and of DummyClientStream at most. */
const DUMMIES = 10;
/** Number of status codes that RandomError draws from; OK is one of them. */
const STATUSES = 16;

const descriptions: Readonly<Record<string, string>> = {
  Index: 'This index.',
  Empty: 'An empty message in both directions.',
  DummyUnary: 'Responds with the message.',
  DummyServerStream: 'Responds with the message 10 times, once a second.',
  DummyClientStream: 'Responds with the 10th or the last message.',
  DummyBidirectionalStreamStream: 'Responds with each message.',
  SpecificError: 'Fails with the status and the message in the request.',
  RandomError: 'Fails with a random status.',
  HeadersUnary: 'Responds with the metadata.',
  NoResponseUnary: 'Succeeds without a message.',
};

const methods: Readonly<Record<string, Method>> = {
  Index: unary(EmptyMessage, IndexReply, () => ({
    description: 'gRPC testing server',
    endpoints: Object.entries(descriptions).map(([path, description]) => ({ path, description })),
  })),
  Empty: unary(EmptyMessage, EmptyMessage, () => ({})),
  DummyUnary: unary(DummyMessage, DummyMessage, (dummy) => dummy),
  DummyServerStream: serverStreaming(
    DummyMessage,
    DummyMessage,
    async function* (dummy, { signal }) {
      for (let count = 0; count < DUMMIES; count++) {
        yield dummy;
        await pause(1, signal);
      }
    },
  ),
  DummyClientStream: clientStreaming(DummyMessage, DummyMessage, async (call) => {
    let last: Message<typeof DummyMessage> = {};
    let count = 0;
    for await (last of call.messages()) if (++count === DUMMIES) break;
    return last;
  }),
  DummyBidirectionalStreamStream: bidiStreaming(DummyMessage, DummyMessage, (call) =>
    call.messages(),
  ),
  SpecificError: unary(SpecificErrorRequest, EmptyMessage, ({ code = 0, reason = '' }) => {
    if (code === 0) return {};
    throw new GrpcStatus(code, reason || nameOf(code));
  }),
  RandomError: unary(EmptyMessage, EmptyMessage, () => {
    const code = Math.floor(Math.random() * STATUSES);
    throw new GrpcStatus(code, nameOf(code));
  }),
  HeadersUnary: unary(EmptyMessage, HeadersMessage, (_, { metadata }) => {
    const values = new Map<string, { readonly values: string[] }>();
    for (const [name, value] of metadata) {
      const text = typeof value === 'string' ? value : Buffer.from(value).toString('base64');
      const entry = values.get(name);
      if (entry) entry.values.push(text);
      else values.set(name, { values: [text] });
    }
    return { Metadata: values };
  }),
  NoResponseUnary: {
    // A unary method whose status comes without a message.
    ...serverStreaming(EmptyMessage, EmptyMessage, async function* () {}),
    streamsResponses: false,
  },
};

/** The service of moul/grpcbin. */
export const grpcbin: ServedFile = {
  name: 'grpcbin/grpcbin.proto',
  package: 'grpcbin',
  enums: [Enum],
  messages: [
    HeadersMessage,
    Values,
    SpecificErrorRequest,
    EmptyMessage,
    DummyMessage,
    Sub,
    IndexReply,
    Endpoint,
  ],
  services: [{ name: 'grpcbin.GRPCBin', methods }],
};
