import type { Socket } from 'node:net';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  uint32,
  type RawFrame,
} from '../src/wire/http2/frame.ts';
import { literals } from '../src/wire/http2/hpack-encoder.ts';

export { frame, PREFACE, uint32, literals as fieldBlock, type RawFrame as Frame };

export const {
  data: DATA,
  headers: HEADERS,
  priority: PRIORITY,
  rstStream: RST_STREAM,
  settings: SETTINGS,
  ping: PING,
  goaway: GOAWAY,
  windowUpdate: WINDOW_UPDATE,
  continuation: CONTINUATION,
} = FrameType;

export const { ack: ACK, endStream: END_STREAM, endHeaders: END_HEADERS } = Flag;

/** How a client begins: the preface and empty SETTINGS. */
export const OPENING = Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]);

const INITIAL_WINDOW_SIZE = Buffer.from([0, 4]);

/** The same with an initial window in SETTINGS. */
export function openingWith(window: number): Buffer {
  const setting = Buffer.concat([INITIAL_WINDOW_SIZE, uint32(window)]);
  return Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, setting)]);
}

const TARGET: readonly [string, string][] = [
  [':scheme', 'http'],
  [':authority', 'x'],
];

/** HEADERS of a GET that ends its stream. */
export function get(stream: number, path: string, ...more: [string, string][]): Buffer {
  return request(stream, 'GET', path, ...more);
}

/** HEADERS of a request that ends its stream. */
export function request(
  stream: number,
  method: string,
  path: string,
  ...more: [string, string][]
): Buffer {
  const block = literals([[':method', method], ...TARGET, [':path', path], ...more]);
  return frame(HEADERS, END_HEADERS | END_STREAM, stream, block);
}

/** HEADERS of a POST with content to come. */
export function post(stream: number, path: string, ...more: [string, string][]): Buffer {
  const block = literals([[':method', 'POST'], ...TARGET, [':path', path], ...more]);
  return frame(HEADERS, END_HEADERS, stream, block);
}

/** A client that writes frames as it is told and keeps every frame it gets. */
export class FrameClient {
  readonly frames: RawFrame[] = [];
  readonly socket: Socket;
  ended = false;

  /** Sends the preface and empty SETTINGS at once, or what it is given. */
  constructor(socket: Socket, opening: Buffer = OPENING) {
    this.socket = socket;
    const splitter = new FrameSplitter();
    socket.on('data', (piece: Buffer) => this.frames.push(...splitter.push(piece)));
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.ended = true;
      });
    }
    socket.write(opening);
  }

  send(...frames: Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** The frames of a type, on a stream where one is given. */
  got(type: number, stream?: number): RawFrame[] {
    return this.frames.filter(
      (each) => each.type === type && (stream === undefined || each.stream === stream),
    );
  }

  /** The error code of the stream's RST_STREAM; undefined without one. */
  reset(stream: number): number | undefined {
    return this.got(RST_STREAM, stream)[0]?.payload.readUInt32BE();
  }

  /** The error code of the last GOAWAY; undefined without one. */
  goaway(): number | undefined {
    return this.got(GOAWAY).at(-1)?.payload.readUInt32BE(4);
  }

  /** Whether the server has ended the stream. */
  isDone(stream: number): boolean {
    return this.frames.some(
      ({ type, flags, stream: of }) =>
        of === stream && (type === HEADERS || type === DATA) && (flags & END_STREAM) !== 0,
    );
  }

  /** The content of the answer on a stream. */
  content(stream: number): string {
    return Buffer.concat(this.got(DATA, stream).map(({ payload }) => payload)).toString();
  }
}

/** Acknowledges each PING of the server (RFC 9113 6.7). */
export function acknowledgePings(client: FrameClient): void {
  let acknowledged = 0;
  client.socket.on('data', () => {
    for (const { flags, payload } of client.got(PING).slice(acknowledged)) {
      acknowledged++;
      if ((flags & Flag.ack) === 0) client.send(frame(PING, Flag.ack, 0, payload));
    }
  });
}
