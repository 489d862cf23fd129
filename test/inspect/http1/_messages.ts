import { RequestReader } from '../../../src/protocols/http1/request-reader.ts';
import type { RequestTap } from '../../../src/net/inspector.ts';
import { Http1Reader } from '../../../src/inspect/http1/http1-reader.ts';
import type { Http1Limits } from '../../../src/inspect/http1/message.ts';

export const LIMITS: Http1Limits = {
  section: 100_000,
  keptSection: 100_000,
  chunks: 100,
  messages: 100,
  rest: 1000,
  bytes: 1_000_000,
};

export const GET = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
export const CHUNKED = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Reads what a client sends, as a connection does. */
export function clientOf(
  tap: RequestTap,
  maxHeaderSize = LIMITS.section,
): (bytes: Buffer, time?: number) => void {
  const listener = {
    requestReceived: () => undefined,
    trailersReceived: (trailers: readonly string[]) => trailers,
    refused: () => undefined,
    holdContent: () => undefined,
  };
  const requests = new RequestReader(listener, 0, maxHeaderSize, tap);
  return (bytes, time = 0) => {
    for (let at = 0; at < bytes.length;) {
      at = requests.isStopped ? requests.skip(bytes, at, time) : requests.read(bytes, at, time);
    }
  };
}

/** A reader that got the client's bytes in one piece. */
export function received(text: string, limits: Partial<Http1Limits> = {}): Http1Reader {
  const all = { ...LIMITS, ...limits };
  const reader = new Http1Reader(all);
  clientOf(reader.requestTap, all.section)(latin1(text));
  return reader;
}

/** Everything that a reader reports. */
export function allFacts(reader: Http1Reader): unknown {
  return {
    summary: reader.summary,
    requests: reader.requests.map(({ number }) => reader.request(number)),
    responses: reader.responses,
  };
}

/** All bytes of the client, put together from what the reader kept; content is `*`. */
export function rebuilt(reader: Http1Reader): string {
  const { rest, pending } = reader.summary.requests;
  const messages = reader.requests.map(({ head, framing, chunks, contentLength, trailers }) => {
    if (framing?.content !== 'chunked') return head.text + '*'.repeat(contentLength);
    const sizes = chunks.map(({ line, lineEnd, size, dataEnd }, at) => {
      const before = chunks.slice(0, at).reduce((sum, chunk) => sum + chunk.size, 0);
      const data = '*'.repeat(Math.min(size, contentLength - before));
      return line + LINE_ENDS[lineEnd] + data + LINE_ENDS[dataEnd];
    });
    return head.text + sizes.join('') + (trailers?.text ?? '');
  });
  return messages.join('') + pending.text + (rest?.text ?? '');
}

const LINE_ENDS = { crlf: '\r\n', lf: '\n', none: '' };
