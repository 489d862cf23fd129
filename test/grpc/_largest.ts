import { Readable } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { completeState } from '../../src/endpoints/all.ts';
import { createCalls } from '../../src/grpc/calls.ts';
import { CALL_FAULTS } from '../../src/grpc/faults.ts';
import { servedFiles } from '../../src/grpc/files.ts';
import type { Method } from '../../src/grpc/service.ts';
import { Problem } from '../../src/http/problem.ts';
import { MAX_REQUESTED_CONTENT } from '../../src/server/payload.ts';
import type { Reply } from '../../src/server/reply.ts';
import { isMessage, type Field, type MessageType } from '../../src/wire/protobuf/message.ts';
import type { FieldType } from '../../src/wire/protobuf/types.ts';
import type { Asked } from '../_descriptions.ts';
import { FakeExchange } from '../_exchange.ts';
import { prefixed } from './_call.ts';

// The largest requests of every method of gRPC, made from the types of their messages.

/** Maximum bytes of a message, and of a value that has room in one. */
const MAX_MESSAGE = completeState.maxBodySize;
const LONGEST = MAX_MESSAGE - 100;
/** Values of a message that are read, less those around a repeated field, and one too many. */
const VALUES = [9990, 10_001];
/** Entries of a map with three values each, within and beyond the same bound. */
const ENTRIES = [3300, 5000];
/** Numbers at and beyond the bounds of sizes and counts. */
const NUMBERS = [MAX_MESSAGE, MAX_REQUESTED_CONTENT, 100_000].flatMap((bound) => [
  bound,
  bound + 1,
]);
/** Times that a stream has a message, and that it has one without content. */
const REPEATED = 100;
const MANY = 20_000;
/** Characters of a field. */
const LINE = 15_000;

const { readiness, maxBodySize, maxDuration } = completeState;
const state = {
  readiness,
  maxBodySize,
  maxDuration,
  answerTimeout: 60,
  pod: { namespace: 'n', ingress: 'i', service: 's', pod: 'p' },
};
const { router } = createCalls(state);

/** Values of a field's type. @throws Error for a type that the walk does not know */
function* extremesOf(type: FieldType<unknown>): Generator {
  if (isMessage(type)) {
    yield* messagesOf(type);
    return;
  }
  switch (type.name) {
    case 'double':
    case 'float':
      yield* [-1, 0.001, Number.MAX_VALUE, Infinity, NaN];
      break;
    case 'int32':
      yield* [-1, ...NUMBERS, 2 ** 31 - 1];
      break;
    case 'uint32':
      yield* [...NUMBERS, 2 ** 32 - 1];
      break;
    case 'int64':
    case 'uint64':
      yield 2n ** 63n - 1n;
      break;
    case 'bool':
      yield true;
      break;
    case 'string':
      yield* ['A'.repeat(LONGEST), '\u00e9'.repeat(LONGEST / 2), '%'.repeat(LINE)];
      break;
    case 'bytes':
      yield Buffer.alloc(LONGEST, 0xff);
      break;
    default:
      if (!('values' in type)) throw new Error(`add extremes of ${type.name}`);
      yield 2 ** 31 - 1;
  }
}

/** Messages with one field each. */
function* messagesOf({ fields }: MessageType<unknown>): Generator<Record<string, unknown>> {
  yield {};
  for (const [name, each] of Object.entries(fields)) {
    for (const value of valuesOf(each)) yield { [name]: value };
  }
}

function* valuesOf({ type, label, key }: Field<unknown>): Generator {
  if (key) {
    const zeros = (length: number) =>
      Array.from({ length }, (_, at) => [`k${at}`, type.zero] as const);
    for (const length of ENTRIES) yield new Map(zeros(length));
  } else if (label === 'repeated') {
    for (const length of VALUES) yield Array.from({ length }, () => type.zero);
    for (const value of extremesOf(type)) yield [value];
  } else yield* extremesOf(type);
}

const list = <T>(length: number, item: T): readonly T[] => Array.from({ length }, () => item);

const entry = (size: number) => ({ name: 'a', value: 'b'.repeat(size) });

/** Messages in which fields bound each other. */
const COMBINED: Readonly<Record<string, readonly object[]>> = {
  '/wirebin.v1.Wirebin/Respond': [
    { count: 100_000, size: 104 },
    { count: 10, size: MAX_REQUESTED_CONTENT / 10 },
    { count: 160, size: 64 * 1024 },
    { count: 1, size: MAX_REQUESTED_CONTENT, compressed: true },
    { count: 1, delay_ms: state.maxDuration * 1000 },
    { code: 2 ** 31 - 1, message: '%'.repeat(LONGEST) },
    { code: 1, details: list(4900, { type_url: 'a' }) },
    { code: 1, details: [{ type_url: 'a', value: Buffer.alloc(LONGEST) }] },
    { headers: list(900, entry(1)), trailers: list(900, entry(1)) },
    { headers: [entry(LINE)], trailers: [entry(LINE)] },
    ...Array.from(CALL_FAULTS.keys(), (fault) => ({ fault, size: 1024 ** 2, count: 2 })),
  ],
  '/wirebin.v1.Wirebin/Stream': [
    { count: 100_000, size: 104 },
    { count: 10, size: MAX_REQUESTED_CONTENT / 10 },
    { payload: Buffer.alloc(LONGEST / 2), size: MAX_REQUESTED_CONTENT },
  ],
  '/grpc.testing.TestService/UnaryCall': [
    { response_size: MAX_MESSAGE, response_compressed: { value: true } },
  ],
  ...Object.fromEntries(
    ['StreamingOutputCall', 'FullDuplexCall', 'HalfDuplexCall'].map((name) => [
      `/grpc.testing.TestService/${name}`,
      [
        { response_parameters: list(5, { size: MAX_MESSAGE }) },
        { response_parameters: list(5, { size: MAX_MESSAGE, compressed: { value: true } }) },
        { response_parameters: list(1000, { size: 10_485 }) },
        { response_parameters: list(4990, { size: 2101 }) },
      ],
    ]),
  ),
};

const GZIP = ['grpc-encoding', 'gzip', 'grpc-accept-encoding', 'gzip'];
/** Metadata that is echoed, or parsed. */
const METADATA: readonly (readonly string[])[] = [
  list(900, ['a', 'b']).flat(),
  ['a', '"'.repeat(LINE)],
  ['a-bin', ','.repeat(LINE)],
  ['a-bin', ','.repeat(999)],
  ['a-bin', 'AAAAAAAAAAAA,'.repeat(999)],
  ['a-bin', 'AAAA,'.repeat(LINE / 5)],
  ['grpc-accept-encoding', 'a,'.repeat(LINE / 2)],
  [
    'x-grpc-test-echo-initial',
    'a'.repeat(LINE),
    'x-grpc-test-echo-trailing-bin',
    'AAAA'.repeat(LINE / 4),
  ],
  ['wirebin-fault', 'a'.repeat(LINE)],
];

/** Requests of a method, made when they are needed: they would take hundreds of MiB. */
function* requestsOf(target: string, method: Method): Generator<Asked> {
  const asked = (content: Buffer, fields: readonly string[] = [], type = ''): Asked => ({
    target,
    method: 'POST',
    fields: ['Content-Type', `application/grpc${type}`, ...fields],
    content,
  });
  const { request, streamsRequests } = method;
  const empty = prefixed();
  for (const fields of METADATA) yield asked(empty, fields);
  // Announces more than the maximum.
  yield asked(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]));
  yield asked(prefixed(gzipSync(Buffer.alloc(MAX_MESSAGE)), 1), GZIP);
  if (streamsRequests) yield asked(Buffer.concat(list(MANY, empty)));
  for (const message of messagesOf(request)) {
    const framed = prefixed(request.encode(message));
    const times = streamsRequests && framed.length < LINE ? REPEATED : 1;
    yield asked(Buffer.concat(list(times, framed)));
  }
  for (const message of COMBINED[target] ?? []) {
    const framed = prefixed(request.encode(message));
    yield asked(framed, GZIP);
    yield asked(Buffer.from(framed.toString('base64')), [], '-web-text');
  }
}

/** Every method with its requests. */
export const largestCalls: readonly [path: string, asked: Iterable<Asked>][] = servedFiles(state)
  .flatMap(({ services = [] }) => services)
  .flatMap(({ name: service, methods }) =>
    Object.entries(methods).map(([name, method]): [string, Iterable<Asked>] => {
      const target = `/${service}/${name}`;
      return [target, { [Symbol.iterator]: () => requestsOf(target, method) }];
    }),
  );

/** Paths of COMBINED. */
export const combined = Object.keys(COMBINED);

/** Milliseconds that a client waits for a response, and for more of it; then it leaves. */
const PATIENCE = 250;
const PAUSE = 50;
/** Bytes that arrive in an iteration of the event loop. */
const ARRIVING = 64 * 1024;

async function* arriving(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += ARRIVING) {
    yield content.subarray(at, at + ARRIVING);
    await nextIteration();
  }
}

/** What came of a call. */
export interface Answer {
  /** The reply; undefined if it takes too long, or fails. */
  readonly reply: Reply | undefined;
  readonly pieces: readonly (string | Uint8Array)[];
  /** Bytes that the call has reserved. */
  readonly reserved: number;
}

/** Reads the first pieces of a call's response, and leaves. */
export async function answerTo(asked: Asked, count: number): Promise<Answer> {
  const { target, fields = [], content = Buffer.alloc(0) } = asked;
  const exchange = new FakeExchange(target, {
    method: 'POST',
    version: 'HTTP/2.0',
    fields: [':authority', 'a', ...fields],
    incoming: Readable.from(arriving(content)),
  });
  let reserved = 0;
  exchange.reserve = (bytes) => void (reserved += bytes);
  exchange.call = { status: undefined };
  let timer = setTimeout(() => exchange.leave(), PATIENCE);
  const pieces: (string | Uint8Array)[] = [];
  let reply: Reply | undefined;
  try {
    const found = router.find(target);
    if (!found) throw new Error(`nothing is at ${target}`);
    reply = await found.endpoint.respond(exchange, found.segments, Buffer.alloc(0));
    const payload = reply?.payload;
    if (typeof payload !== 'object' || !('kind' in payload)) return { reply, pieces, reserved };
    while (pieces.length < count) {
      const piece = payload.next(32 * 1024);
      if (piece === undefined) break;
      if (piece !== null) pieces.push(piece);
      else if (payload.kind === 'timed') {
        clearTimeout(timer);
        timer = setTimeout(() => exchange.leave(), pieces.length > 0 ? PAUSE : PATIENCE);
        await payload.wait(exchange.signal);
      }
    }
  } catch (error) {
    // A fault may refuse its response.
    if (!exchange.signal.aborted && !(error instanceof Problem)) throw error;
  } finally {
    clearTimeout(timer);
    exchange.leave();
  }
  return { reply, pieces, reserved };
}
