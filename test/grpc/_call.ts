import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
} from 'node:http2';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { closedAfterFile } from '../_opened.ts';

/** A message with its prefix. */
export function prefixed(content: Uint8Array | string = '', flags = 0): Buffer {
  const bytes = Buffer.from(content);
  const prefix = Buffer.from([flags, 0, 0, 0, 0]);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

/** Splits content into frames: flags and content of each. */
export function framesOf(content: Buffer): [flags: number, content: Buffer][] {
  const frames: [number, Buffer][] = [];
  for (let at = 0; at < content.length;) {
    const end = at + 5 + content.readUInt32BE(at + 1);
    frames.push([content[at] ?? 0, content.subarray(at + 5, end)]);
    at = end;
  }
  return frames;
}

/** What came back of a call. */
export interface Ended {
  readonly headers: IncomingHttpHeaders;
  readonly frames: readonly [flags: number, content: Buffer][];
  /** Those of the header section if it was the only one. */
  readonly trailers: IncomingHttpHeaders;
  /** Error code of RST_STREAM; 0 without one. */
  readonly reset: number;
}

/** A session to a service. */
export function openSession(port: number, isSecure = false): ClientHttp2Session {
  const origin = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
  const session = connectHttp2(origin, { rejectUnauthorized: false, maxSessionMemory: 1000 });
  session.on('error', () => undefined);
  return closedAfterFile({ session, close: () => session.destroy() }).session;
}

export function beginCall(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  return session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
}

/** Waits for the end of a call. */
export async function ended(stream: ClientHttp2Stream): Promise<Ended> {
  let headers: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders | undefined;
  const pieces: Buffer[] = [];
  stream
    .on('response', (got) => (headers = got))
    .on('trailers', (got) => (trailers = got))
    .on('data', (piece: Buffer) => pieces.push(piece))
    .on('error', () => undefined);
  await new Promise((resolve) => {
    stream.once('close', resolve);
  });
  const frames = framesOf(Buffer.concat(pieces));
  return { headers, frames, trailers: trailers ?? headers, reset: stream.rstCode };
}

/** A call with these messages. */
export async function callWith(
  session: ClientHttp2Session,
  path: string,
  messages: readonly (Uint8Array | string)[],
  headers: OutgoingHttpHeaders = {},
): Promise<Ended> {
  const stream = beginCall(session, path, headers);
  const end = ended(stream);
  for (const message of messages) stream.write(prefixed(message));
  stream.end();
  return end;
}
