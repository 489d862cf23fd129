import type { FieldLine, RequestMessage } from '../message.ts';

/** The bytes of a request in two parts, because a client may send the content later. */
export interface Http1Bytes {
  readonly head: Buffer;
  readonly content: Buffer;
}

const ENCODING = 'latin1';

/** Serializes an HTTP/1.1 request (RFC 9112) without validating it. */
export function http1Request(message: RequestMessage, authority: string): Http1Bytes {
  const { method = 'GET', target, fields = [], content, trailers } = message;
  const isChunked =
    content !== undefined && (message.framing === 'chunked' || trailers !== undefined);
  const bytes = bytesOf(content ?? '');
  const framing: FieldLine[] = [];
  if (isChunked) framing.push(['Transfer-Encoding', 'chunked']);
  else if (content !== undefined) framing.push(['Content-Length', String(bytes.length)]);
  const lines = [['Host', message.authority ?? authority] as const, ...fields, ...framing];
  const head = `${method} ${target} HTTP/1.1\r\n${fieldLines(lines)}\r\n`;
  return {
    head: Buffer.from(head, ENCODING),
    content: isChunked ? Buffer.concat([...chunks(bytes), lastChunk(trailers ?? [])]) : bytes,
  };
}

/** Field lines as bytes in latin1. */
export function fieldLines(fields: readonly FieldLine[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

/** Bytes of the chunks in which content is sent, in turn. Less than the first of them is one chunk. */
const CHUNK_SIZES = [4096, 1, 16_384, 100];

/** Content as chunks, without the last one. */
function chunks(content: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const piece = content.subarray(at, at + (CHUNK_SIZES[all.length % CHUNK_SIZES.length] ?? 1));
    all.push(chunk(piece));
    at += piece.length;
  }
  return all;
}

/** A chunk (RFC 9112 7.1); empty without data, because a chunk of size 0 would end the content. */
export function chunk(data: Buffer): Buffer {
  if (data.length === 0) return data;
  return Buffer.concat([bytesOf(`${data.length.toString(16)}\r\n`), data, bytesOf('\r\n')]);
}

export function lastChunk(trailers: readonly FieldLine[]): Buffer {
  return bytesOf(`0\r\n${fieldLines(trailers)}\r\n`);
}

/** Content as bytes; text is latin1, so that any byte can be written. */
export function bytesOf(content: string | Uint8Array): Buffer {
  return typeof content === 'string' ? Buffer.from(content, ENCODING) : Buffer.from(content);
}
