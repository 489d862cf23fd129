import type { QuicStream } from '../../../src/quic/streams/stream.ts';
import type { AnyStreamFrame } from '../../../src/quic/streams/stream-frames.ts';
import type { InitialLimits } from '../../../src/quic/streams/stream-table.ts';
import { Streams } from '../../../src/quic/streams/streams.ts';
import type { Role } from '../../../src/wire/quic/names.ts';

export const LIMITS: InitialLimits = {
  initialMaxData: 10_000,
  initialMaxStreamDataBidiLocal: 4000,
  initialMaxStreamDataBidiRemote: 4000,
  initialMaxStreamDataUni: 4000,
  initialMaxStreamsBidi: 10,
  initialMaxStreamsUni: 10,
};

/** One side of a connection, which notes what happens and reads what comes. */
export class Side {
  readonly streams: Streams;
  /** Events by name, id and code, but for data. */
  readonly events: string[] = [];
  /** What was read, by id. */
  readonly received = new Map<number, Buffer[]>();
  /** Streams in the order of their ends. */
  readonly ended: number[] = [];
  /** Streams that are not read. */
  readonly held = new Set<number>();
  onSent: (stream: QuicStream) => void = () => {};

  constructor(role: Role, own: InitialLimits = LIMITS, peer: InitialLimits = LIMITS) {
    this.streams = new Streams(role, own, {
      onStream: ({ id }) => this.events.push(`stream ${id}`),
      onData: (stream) => this.read(stream),
      onReset: ({ id }, code) => this.events.push(`reset ${id} ${code}`),
      onStopSending: ({ id }, code) => this.events.push(`stop ${id} ${code}`),
      onSent: (stream) => this.onSent(stream),
      onClosed: ({ id }) => this.events.push(`closed ${id}`),
      onStreamLimit: (direction) => this.events.push(`limit ${direction}`),
    });
    this.streams.usePeerLimits(peer);
    this.events.length = 0;
  }

  read(stream: QuicStream): void {
    if (this.held.has(stream.id)) return;
    const pieces = this.received.get(stream.id) ?? [];
    this.received.set(stream.id, pieces);
    for (let piece = this.streams.read(stream); piece; piece = this.streams.read(stream)) {
      pieces.push(piece);
    }
    if (stream.receiving?.isClosed) this.ended.push(stream.id);
  }

  contentOf(id: number): Buffer {
    return Buffer.concat(this.received.get(id) ?? []);
  }

  open(direction: 'bidi' | 'uni' = 'bidi'): QuicStream {
    const stream = this.streams.open(direction);
    if (!stream) throw new Error('no stream allowed');
    return stream;
  }

  write(stream: QuicStream, content: string | Buffer, isLast = false): boolean {
    return this.streams.write(stream, Buffer.from(content), isLast);
  }

  /** All frames that can be sent now. */
  takeAll(room = 1200): AnyStreamFrame[] {
    const frames: AnyStreamFrame[] = [];
    for (let next = this.streams.take(room); next; next = this.streams.take(room)) {
      frames.push(next);
    }
    return frames;
  }

  /** Takes frames of the peer, which must not be an error. */
  receive(frames: readonly AnyStreamFrame[]): void {
    for (const frame of frames) {
      const wrong = this.streams.receive(frame);
      if (wrong) throw new Error(`${wrong.code} (${wrong.section}): ${wrong.reason}`);
    }
  }
}

/** Sends all frames from side to side, and acknowledges them, until there are none. */
export function settle(one: Side, other: Side): void {
  for (let round = 0; one.streams.hasFrames || other.streams.hasFrames; round++) {
    if (round > 1000) throw new Error('frames without end');
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const frames = from.takeAll();
      to.receive(frames);
      for (const frame of frames) from.streams.acknowledge(frame);
    }
  }
}

/** `stream 0:abc.`, `max-data 100`, `reset-stream 0 7` and so on; `.` is FIN. */
export function textOf(frame: AnyStreamFrame): string {
  switch (frame.kind) {
    case 'stream':
      return `stream ${frame.stream} ${frame.offset}:${frame.data.toString()}${frame.isLast ? '.' : ''}`;
    case 'reset-stream':
      return `reset-stream ${frame.stream} ${frame.code} at ${frame.finalSize}`;
    case 'stop-sending':
      return `stop-sending ${frame.stream} ${frame.code}`;
    case 'max-data':
    case 'data-blocked':
      return `${frame.kind} ${frame.maximum}`;
    case 'max-stream-data':
    case 'stream-data-blocked':
      return `${frame.kind} ${frame.stream} ${frame.maximum}`;
    case 'max-streams':
    case 'streams-blocked':
      return `${frame.kind} ${frame.direction} ${frame.maximum}`;
  }
}

/** A client and a server with the limits of each for the other. */
export const pair = (client = LIMITS, server = LIMITS): readonly [Side, Side] => [
  new Side('client', client, server),
  new Side('server', server, client),
];

/** A STREAM frame. */
export const data = (
  id: number,
  offset: number,
  content: string,
  isLast = false,
): AnyStreamFrame => ({
  kind: 'stream',
  stream: id,
  offset,
  data: Buffer.from(content),
  isLast,
});
