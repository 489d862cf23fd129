import { expect, test } from 'vitest';
import { requestFraming } from '../../../src/wire/http1/framing.ts';
import { MessageReader } from '../../../src/wire/http1/message-reader.ts';

/** What a sink is told of requests in pieces of a size, with offsets from the first byte. */
function eventsOf(text: string, size: number, skipsEmptyLines = true): unknown[] {
  const events: unknown[] = [];
  let offset = 0;
  let content = '';
  const note = (...event: readonly unknown[]): void => {
    if (content !== '') events.push(['content', content]);
    content = '';
    events.push(event);
  };
  const reader = new MessageReader(
    {
      countsChunks: false,
      onStart: (at) => note('start', offset + at),
      onHead: ({ text: head }) => {
        note('head', head);
        return requestFraming(head);
      },
      onContent: (piece, start, end) => {
        content += piece.toString('latin1', start, end);
      },
      onChunk: ({ line, size: length, start }) => note('chunk', offset + start, line, length),
      onChunkEnd: (end) => note('chunk end', end),
      onTrailers: ({ text: section }, end) => note('trailers', section, offset + end),
      onEnd: (end) => note('end', offset + end),
      onStop: ({ kind, reason, at, text: read }) => note(kind, reason, offset + at, read),
    },
    { section: 100, skipsEmptyLines },
  );
  const isReading = (): boolean => reader.state !== 'stopped';
  const bytes = Buffer.from(text, 'latin1');
  for (; offset < bytes.length && isReading(); offset += size) {
    const piece = bytes.subarray(offset, offset + size);
    for (let at = 0; at < piece.length && isReading();) at = reader.read(piece, at);
  }
  return events;
}

const CHUNKED = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each([1, 3, 1000])('requests in pieces of %i bytes', (size) => {
  const get = 'GET / HTTP/1.1\n\n';
  expect(eventsOf(`${get}\r\n${CHUNKED}3;x=y\r\nabc\r\n0\n\n`, size)).toEqual([
    ['start', 0],
    ['head', get],
    ['end', 16],
    ['start', 16],
    ['head', `\r\n${CHUNKED}`],
    ['chunk', 65, '3;x=y\r\n', 3],
    ['content', 'abc'],
    ['chunk end', 'crlf'],
    ['chunk', 77, '0\n', 0],
    ['trailers', '\n', 80],
    ['end', 80],
  ]);
});

test.each([
  ['no line end after a chunk', `${CHUNKED}1\r\nab`, ['confused', expect.any(String), 51, '']],
  ['no size of a chunk', `${CHUNKED}x\r\n`, ['confused', 'a chunk has no valid size', 47, 'x\r\n']],
  ['another protocol', 'CONNECT a HTTP/1.1\r\n\r\nabc', ['tunnel', undefined, 22, '']],
])('stops at %s', (_name, text, stop) => {
  for (const size of [1, 1000]) expect(eventsOf(text, size).at(-1)).toEqual(stop);
});

test('empty lines are a header section for a client', () => {
  expect(eventsOf('\r\n\r\n', 1, false)).toContainEqual(['head', '\r\n\r\n']);
});
