import type { Socket } from 'node:net';

/** Frame types (RFC 9113 6). */
export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

/** Flags. */
export const END_STREAM = 1;
export const END_HEADERS = 4;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** One frame (RFC 9113 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** How a client begins: the preface and empty SETTINGS. */
export const OPENING = Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]);

/** A field section of literals without indexing and without Huffman coding (RFC 7541 6.2.2). */
export function fieldBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  );
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** An integer with a prefix of seven bits (RFC 7541 5.1). */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** A 32-bit number, as RST_STREAM and WINDOW_UPDATE carry. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const GET: readonly [string, string][] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'x'],
];

/** HEADERS of a GET that ends its stream. */
export function get(stream: number, path: string, ...more: [string, string][]): Buffer {
  const block = fieldBlock([...GET, [':path', path], ...more]);
  return frame(HEADERS, END_HEADERS | END_STREAM, stream, block);
}

/** HEADERS of a POST with content to come. */
export function post(stream: number, path: string, ...more: [string, string][]): Buffer {
  const block = fieldBlock([[':method', 'POST'], ...GET.slice(1), [':path', path], ...more]);
  return frame(HEADERS, END_HEADERS, stream, block);
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** A client that writes frames as it is told and keeps every frame it gets. */
export class FrameClient {
  readonly frames: Frame[] = [];
  readonly socket: Socket;
  ended = false;
  #rest: Buffer = Buffer.alloc(0);

  /** Sends the preface and empty SETTINGS at once, or what it is given. */
  constructor(socket: Socket, opening: Buffer = OPENING) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
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
  got(type: number, stream?: number): Frame[] {
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

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9) {
      const length = this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < 9 + length) return;
      this.frames.push({
        type: this.#rest.readUInt8(3),
        flags: this.#rest.readUInt8(4),
        stream: this.#rest.readUInt32BE(5) & 0x7fffffff,
        payload: this.#rest.subarray(9, 9 + length),
      });
      this.#rest = this.#rest.subarray(9 + length);
    }
  }
}

/** The flag of SETTINGS and PING (RFC 9113 6.5, 6.7). */
const ACK = 1;

/** Acknowledges each PING of the server (RFC 9113 6.7). */
export function acknowledgePings(client: FrameClient): void {
  let acknowledged = 0;
  client.socket.on('data', () => {
    for (const { flags, payload } of client.got(PING).slice(acknowledged)) {
      acknowledged++;
      if ((flags & ACK) === 0) client.send(frame(PING, ACK, 0, payload));
    }
  });
}
