import { Http2Connection, type ConnectionOptions } from '../../../src/wire/http2/connection.ts';
import type { ConnectionEvents } from '../../../src/wire/http2/connection-events.ts';
import {
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  type Role,
} from '../../../src/wire/http2/frame.ts';
import type { RawFrame } from '../../../src/wire/http2/frame.ts';
import type { HeaderBlock } from '../../../src/wire/http2/header-block.ts';
import { frameTypeName } from '../../../src/wire/http2/names.ts';
import type { Http2Stream } from '../../../src/wire/http2/stream.ts';
import type { Violation } from '../../../src/wire/http2/violation.ts';

export type Stream = Http2Stream<string>;

const OPTIONS = { settings: [], maxListSize: 65_536, limits: { block: 65_536, fragments: 10 } };

/** One side of a connection, which keeps its events as text, and the content it has received. */
export class Side implements ConnectionEvents<string> {
  readonly connection: Http2Connection<string>;
  readonly events: string[] = [];
  /** Types of all frames received. */
  readonly types: number[] = [];
  readonly streams = new Map<number, Stream>();
  readonly content = new Map<number, Buffer[]>();
  violation: Violation | undefined;
  /** Whether credit for content is returned at once. */
  consumes = true;
  /** Called with each event, after it was kept. */
  react: (event: string, stream: Stream) => void = () => undefined;

  constructor(role: Role, options: Partial<ConnectionOptions> = {}) {
    this.connection = new Http2Connection<string>(this, { role, ...OPTIONS, ...options });
  }

  onHeaders(stream: Stream, block: HeaderBlock, kind: string, isEnd: boolean): void {
    this.streams.set(stream.id, stream);
    const fields = block.fields.map(({ name, value }) => `${name}=${value}`).join(' ');
    this.#add(`${kind} ${stream.id} ${fields}${isEnd ? ' end' : ''}`, stream);
  }

  onContent(stream: Stream, bytes: Buffer, start: number, end: number): void {
    const pieces = this.content.get(stream.id) ?? [];
    this.content.set(stream.id, pieces);
    pieces.push(Buffer.from(bytes.subarray(start, end)));
    if (this.consumes) this.connection.returnCredit(stream, end - start);
  }

  onEnd(stream: Stream): void {
    this.#add(`end ${stream.id}`, stream);
  }

  onReset(stream: Stream, code: number, violation: Violation | undefined): void {
    this.violation = violation;
    this.#add(`reset ${stream.id} ${code}${violation ? ` ${violation.section}` : ''}`, stream);
  }

  onSent(stream: Stream): void {
    this.#add(`sent ${stream.id}`, stream);
  }

  onSettings(settings: readonly { id: number; value: number }[]): void {
    this.events.push(`settings ${settings.map(({ id, value }) => `${id}:${value}`).join(' ')}`);
  }

  onGoaway(lastStream: number, code: number): void {
    this.events.push(`goaway ${lastStream} ${code}`);
  }

  onConnectionError(violation: Violation): void {
    this.violation = violation;
    this.events.push(`error ${violation.code} ${violation.section}`);
  }

  onPong(payload: Buffer): void {
    this.events.push(`pong ${payload.toString('latin1')}`);
  }

  onFrame({ type, stream, length }: { type: number; stream: number; length: number }): void {
    this.types.push(type);
    if (type > 0x10) this.events.push(`unknown ${type} ${stream} ${length}`);
  }

  /** All bytes of content of a stream. */
  received(id: number): string {
    return Buffer.concat(this.content.get(id) ?? []).toString('latin1');
  }

  /** The bytes to write. */
  take(): Buffer {
    return Buffer.concat(this.connection.takeOutput(65_536));
  }

  #add(event: string, stream: Stream): void {
    this.events.push(event);
    this.react(event, stream);
  }
}

/** Carries bytes in both directions until neither side has more, cut as `cut` says. */
export function exchange(
  client: Side,
  server: Side,
  cut: (bytes: Buffer) => readonly Buffer[] = (bytes) => [bytes],
): void {
  for (;;) {
    const sent = client.take();
    for (const piece of cut(sent)) server.connection.receive(piece);
    const replied = server.take();
    for (const piece of cut(replied)) client.connection.receive(piece);
    if (sent.length === 0 && replied.length === 0) return;
  }
}

/** A client and a server that have exchanged their SETTINGS. */
export function joined(
  clientOptions: Partial<ConnectionOptions> = {},
  serverOptions: Partial<ConnectionOptions> = {},
): { client: Side; server: Side } {
  const client = new Side('client', clientOptions);
  const server = new Side('server', serverOptions);
  exchange(client, server);
  client.events.length = 0;
  server.events.length = 0;
  return { client, server };
}

/** A side whose peer is made of frames: SETTINGS were exchanged. */
export function alone(role: Role, options: Partial<ConnectionOptions> = {}): Side {
  const side = new Side(role, options);
  if (role === 'server') side.connection.receive(PREFACE);
  side.connection.receive(
    Buffer.concat([frame(FrameType.settings, 0, 0), frame(FrameType.settings, 1, 0)]),
  );
  side.take();
  side.events.length = 0;
  return side;
}

/** The frames of bytes that were taken. */
export function framesOf(bytes: Buffer): readonly RawFrame[] {
  const isPreface = bytes.subarray(0, PREFACE.length).equals(PREFACE);
  return new FrameSplitter().push(isPreface ? bytes.subarray(PREFACE.length) : bytes);
}

/** Frames as text: type, stream, flags and payload. */
export function frameLines(bytes: Buffer): string[] {
  return framesOf(bytes).map(({ type, flags, stream, payload }) =>
    `${frameTypeName(type)} ${stream} ${flags} ${payload.toString('hex')}`.trimEnd(),
  );
}

export const GET = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'a'];
export const POST = [':method', 'POST', ':scheme', 'http', ':path', '/', ':authority', 'a'];
