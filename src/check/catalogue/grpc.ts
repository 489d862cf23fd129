import { Flag, frame, FrameType, goaway, uint32 } from '../../wire/http2/frame.ts';
import { fieldBlock } from '../../wire/http2/hpack-encoder.ts';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass } from '../verdict.ts';
import type { Http2Client } from '../client/http2-client.ts';
import type { ClientStream } from '../client/http2-stream.ts';
import {
  type FieldLine,
  outcomeOf,
  responseField,
  type Transfer,
  valueOf,
  valuesOf,
} from '../message.ts';
import { CALL, FIELDS, MESSAGE, METADATA } from '../grpc-message.ts';
import { contentObject, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { PROMPT } from './bounds.ts';
import { ERROR_CANCEL } from './cancel.ts';
import { withoutEcho } from './received.ts';

export const GRPC = {
  section: 'RFC 9113 8.1',
  level: 'quality',
  risk: 'interop',
  fronts: ['h2'],
  needs: ['gateway', 'journal', 'grpc-origin'],
} as const;

/** HTTP/2 error code NO_ERROR (RFC 9113 7). */
const NO_ERROR = 0;

/** A response that consists of HEADERS with END_STREAM. */
function headersFrame(stream: number): Buffer {
  const fields = [
    [':status', '200'],
    ['content-type', 'application/grpc'],
    ['grpc-status', '5'],
  ] as const;
  const flags = Flag.endHeaders | Flag.endStream;
  return frame(FrameType.headers, flags, stream, fieldBlock(fields));
}

/** A call whose client may go on sending messages. */
export class Call {
  readonly tag: string;
  readonly stream: ClientStream;
  readonly #session: Session;
  readonly #client: Http2Client;

  private constructor(session: Session, client: Http2Client, target: string) {
    this.#session = session;
    this.#client = client;
    this.tag = session.newTag();
    this.stream = client.start(tagged(this.tag, { ...CALL, target }));
  }

  static async open(session: Session, target: string): Promise<Call> {
    return new Call(session, await session.openHttp2(), target);
  }

  async send(isLast = false): Promise<void> {
    await this.#client.sendContent(this.stream, MESSAGE, this.#session.time, undefined, isLast);
  }

  /** Bytes of request content that the journal counts, while the request is still open. */
  async arrived(): Promise<number> {
    const [entry] = await this.#session.arrived(this.tag);
    return entry?.content.octets ?? 0;
  }

  /** Waits for so many bytes of the request content at the origin, `PROMPT` at most. @returns those that arrived */
  async arrivedInTime(bytes: number): Promise<number> {
    const entry = await this.#session.arrivedAs(
      this.tag,
      (each) => (each?.content.octets ?? 0) >= bytes,
      PROMPT,
    );
    return entry?.content.octets ?? 0;
  }

  /** Whether the client receives more than so many bytes of the response content within `PROMPT`. */
  hasReceived(bytes: number): Promise<boolean> {
    return this.#client.until(() => this.stream.contentLength > bytes, PROMPT);
  }

  /** Whether the header section of the response comes within `PROMPT`. */
  hasHead(): Promise<boolean> {
    return this.#client.until(() => this.stream.head !== undefined, PROMPT);
  }

  /** Whether the response ends within `PROMPT`. */
  hasEnded(): Promise<boolean> {
    const { stream } = this;
    return this.#client.until(() => stream.isEnded || stream.resetCode !== undefined, PROMPT);
  }

  cancel(): void {
    this.#client.sendFrame(FrameType.rstStream, 0, this.stream.id, uint32(ERROR_CANCEL));
  }

  /** @param time to wait for the end of the response, in milliseconds */
  async transfer(time = 0): Promise<Transfer> {
    return this.#session.record(await this.#client.finish(this.stream, time));
  }
}

/** A stream between target and origin, by which the next one is known. */
interface SteadyStream {
  /** Undefined if each call has a connection of its own. */
  readonly conn: string | undefined;
  readonly next: number;
}

/** The stream after two calls with consecutive ids on one connection to the origin, or each first on its own. */
async function steadyStream(
  session: Session,
  client: Http2Client,
): Promise<SteadyStream | undefined> {
  let before: JournalEntry | undefined;
  for (let attempt = 0; attempt < 5; attempt++) {
    const { tag } = await session.echoOn(client, CALL);
    const [entry] = await session.arrived(tag);
    const { conn = '', stream = 0 } = entry ?? {};
    if (conn === before?.conn && stream - 2 === before.stream) return { conn, next: stream + 2 };
    if (before?.stream === 1 && stream === 1) return { conn: undefined, next: 1 };
    before = entry;
  }
  return undefined;
}

interface Answer {
  readonly transfer: Transfer;
  /** Whether the client received neither DATA nor trailers after the header section. */
  readonly isAlone: boolean;
}

/**
 * Sends a call that the origin answers with the given frames.
 *
 * @param frames makes the frames for the id of the stream between target and origin
 * @returns why the origin did not send the frames, or what the client received
 */
export async function answeredWith(
  session: Session,
  frames: (stream: number) => Buffer,
): Promise<string | Answer> {
  const client = await session.openHttp2();
  const steady = await steadyStream(session, client);
  if (!steady) return 'the next stream to the origin is not known';
  const tag = session.newTag();
  const { next } = steady;
  // GOAWAY, because the origin cannot serve other requests on this connection.
  const bytes = Buffer.concat([frames(next), goaway(next, NO_ERROR)]);
  const target = `/frames?base64=${bytes.toString('base64url')}`;
  const stream = client.start(tagged(tag, { method: 'POST', target, fields: FIELDS }));
  const transfer = session.record(await client.finish(stream, session.time));
  const [entry] = await session.arrived(tag);
  if (entry?.stream !== next || entry.conn !== (steady.conn ?? entry.conn))
    return 'the stream to the origin is not the expected one';
  const isAlone = stream.content.length === 0 && stream.trailers.length === 0;
  return contentObject(transfer.response) ? 'the origin refuses it' : { transfer, isAlone };
}

/** Details of a status, such as an error for each field of a form. */
const DETAILS = Buffer.alloc(1536, 'check it').toString('base64');

/** What ends a call with an error: its trailers. */
const STATUS: readonly FieldLine[] = [
  ['grpc-status', '13'],
  // Percent-encoded by the origin, and decoded by the client only: "check it: é".
  ['grpc-message', 'check%20it: %C3%A9'],
  ['grpc-status-details-bin', DETAILS],
  ...METADATA,
];

/** These names with all of their values, which may be combined (RFC 9110 5.3). */
function linesOf(fields: readonly FieldLine[], wanted: readonly FieldLine[]): string {
  const names = new Set(wanted.map(([name]) => name));
  return Array.from(names, (name) => {
    const values = valuesOf(fields, name).join(',').replaceAll(/, +/g, ',');
    return `${name}: ${values.replace(DETAILS, `${DETAILS.length} characters`) || 'missing'}`;
  }).join(', ');
}

/** Binary metadata: values in two lines, and in one (RFC 9110 5.3), with and without base64 padding. */
const BINARY_VALUES = ['AAEC/w', 'q83vAQ=='];
const BINARY: readonly FieldLine[] = [
  ...BINARY_VALUES.map((value): FieldLine => ['check-lines-bin', value]),
  ['check-list-bin', BINARY_VALUES.join(',')],
];

/** The bytes of a value in base64, in hexadecimal. */
const decoded = (value: string): string => Buffer.from(value, 'base64').toString('hex');

/** How the lines of binary metadata have changed; undefined if a value is lost or changed. */
function binaryChange(fields: readonly FieldLine[]): string | undefined {
  const names = Array.from(new Set(BINARY.map(([name]) => name)));
  const changes = names.map((name) => {
    const [lines, sent] = [valuesOf(fields, name), valuesOf(BINARY, name)];
    const values = lines.flatMap((line) => line.split(/, */));
    if (values.map(decoded).join() !== BINARY_VALUES.map(decoded).join()) return undefined;
    if (values.join() !== BINARY_VALUES.join()) return 'encoded anew';
    if (lines.length === sent.length) return '';
    return lines.length < sent.length ? 'joined in one line' : 'split into lines';
  });
  return changes.includes(undefined) ? undefined : (changes.find((change) => change !== '') ?? '');
}

/** Fields as the query of an endpoint. */
const queryOf = (fields: readonly FieldLine[]): string =>
  fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

/** A response with metadata before the message, and a status after it. */
export const WITH_METADATA = `/respond?${queryOf([
  ['type', 'application/grpc'],
  ['base64', MESSAGE.toString('base64url')],
  ...METADATA.map(([name, value]): FieldLine => ['header', `${name}: ${value}`]),
  ['trailer', 'grpc-status: 0'],
])}`;

/** A response with binary metadata before the message, and after it. */
const WITH_BINARY = `/respond?${queryOf([
  ['type', 'application/grpc'],
  ['base64', MESSAGE.toString('base64url')],
  ...BINARY.map(([name, value]): FieldLine => ['header', `${name}: ${value}`]),
  ...BINARY.map(([name, value]): FieldLine => ['trailer', `${name}: ${value}`]),
  ['trailer', 'grpc-status: 0'],
])}`;

/** Checks of what gRPC needs of HTTP/2 on both sides. */
export const grpcChecks = topic(GRPC, [
  {
    id: 'grpc/fields',
    section: 'RFC 9110 5.1',
    rule: 'The fields of a gRPC call, such as TE and grpc-timeout, and its metadata are forwarded.',
    async run(session) {
      const echo = await session.echo(CALL);
      if (!echo.received) return fail('an echo', withoutEcho(echo), echo.transfer);
      const { fields, content } = echo.received;
      if (!content.equals(MESSAGE)) {
        return fail('the content', `${content.length} bytes`, echo.transfer);
      }
      return expectSame(linesOf(FIELDS, FIELDS), linesOf(fields, FIELDS), echo.transfer);
    },
  },
  {
    id: 'grpc/trailers',
    rule: 'The trailers of a gRPC call are forwarded as trailers: status, message, details and metadata.',
    risk: 'data-loss',
    async run(session) {
      const target = `/trailers?${queryOf(STATUS)}`;
      const transfer = await session.send({ ...CALL, target });
      const { trailers = [], fields = [] } = transfer.response ?? {};
      // In the header section, grpc-status would mean a response without messages.
      const early = valueOf(fields, 'grpc-status');
      const before = early === undefined ? '' : `, grpc-status ${early} in the header section`;
      return expectSame(linesOf(STATUS, STATUS), linesOf(trailers, STATUS) + before, transfer);
    },
  },
  {
    id: 'grpc/metadata',
    section: 'RFC 9110 5.1',
    rule: 'The metadata that comes before the messages of the origin is forwarded.',
    risk: 'data-loss',
    async run(session) {
      const transfer = await session.send({ ...CALL, target: WITH_METADATA });
      const { fields = [], status, content } = transfer.response ?? {};
      if (status !== 200 || content?.equals(MESSAGE) !== true)
        return fail('200 with the message', outcomeOf(transfer), transfer);
      return expectSame(linesOf(METADATA, METADATA), linesOf(fields, METADATA), transfer);
    },
  },
  {
    id: 'grpc/binary-metadata',
    // gRPC requires receivers to split such fields at commas, and to accept base64 with and without padding.
    section: 'RFC 9110 5.3',
    rule: 'Binary metadata with two values, in two lines or in one, is forwarded with both: in the call, in the header section of the response and in its trailers.',
    risk: 'data-loss',
    async run(session) {
      const echo = await session.echo({ ...CALL, fields: [...FIELDS, ...BINARY] });
      if (!echo.received) return fail('an echo', withoutEcho(echo), echo.transfer);
      const answered = await session.send({ ...CALL, target: WITH_BINARY });
      const { fields = [], trailers = [] } = answered.response ?? {};
      const places = [
        ['the call', echo.received.fields, echo.transfer],
        ['the header section of the response', fields, answered],
        ['the trailers', trailers, answered],
      ] as const;
      const found = places.map(([place, lines, transfer]) => ({
        place,
        lines,
        transfer,
        change: binaryChange(lines),
      }));
      const lost = found.find(({ change }) => change === undefined);
      if (lost)
        return fail(
          linesOf(BINARY, BINARY),
          `${linesOf(lost.lines, BINARY)} in ${lost.place}`,
          lost.transfer,
        );
      const changed = found.find(({ change }) => change !== '');
      return changed ? differs(`${changed.change}: ${changed.place}`, changed.transfer) : pass();
    },
  },
  {
    id: 'grpc/client-streaming',
    rule: 'A message from the client is forwarded while the call is still open.',
    risk: 'latency',
    phase: 'timed',
    async run(session) {
      const call = await Call.open(session, '/upload');
      let held: string | undefined;
      for (const which of ['first', 'second']) {
        const before = await call.arrived();
        await call.send();
        if ((await call.arrivedInTime(before + MESSAGE.length)) === before) held ??= which;
      }
      await call.send(true);
      const transfer = await call.transfer(session.time);
      if (transfer.ending !== 'complete') return fail('200', outcomeOf(transfer), transfer);
      return held === undefined ? pass() : differs(`the ${held} message is held back`, transfer);
    },
  },
  {
    id: 'grpc/early-status',
    rule: 'A response that ends before the request is forwarded immediately.',
    risk: 'latency',
    phase: 'timed',
    async run(session) {
      const call = await Call.open(session, `/early?status=200&after=${MESSAGE.length}`);
      await call.send();
      const isPrompt = await call.hasEnded();
      if (!isPrompt) await call.send(true);
      const transfer = await call.transfer(session.time);
      if (transfer.response?.status !== 200) return fail('200', outcomeOf(transfer), transfer);
      return isPrompt ? pass() : differs('held back until the end of the request', transfer);
    },
  },
  {
    id: 'grpc/trailers-only',
    rule: 'A response that consists of one header section with grpc-status is forwarded as such.',
    needs: [...GRPC.needs, 'raw'],
    phase: 'alone',
    async run(session) {
      const answer = await answeredWith(session, headersFrame);
      if (typeof answer === 'string') return notApplicable(answer);
      const { transfer, isAlone } = answer;
      const status = responseField(transfer, 'grpc-status') ?? 'no grpc-status';
      // If DATA follows, clients expect messages and then a status in trailers, which this response does not have.
      const found = `${status}, ${transfer.ending}${isAlone ? '' : ', with an end of its own'}`;
      return expectSame('5, complete', found, transfer);
    },
  },
]);
