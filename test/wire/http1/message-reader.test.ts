import { expect, test } from 'vitest';
import type { Framing } from '../../../src/wire/http1/framing.ts';
import { MessageReader, type MessageSink } from '../../../src/wire/http1/message-reader.ts';

const CHUNKED = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';

function framingOf(head: string): Framing {
  if (head.startsWith('CONNECT ')) return { content: 'none', after: 'tunnel' };
  const length = /^Content-Length: (\d+)/m.exec(head)?.[1];
  if (length !== undefined) return { content: 'length', length: Number(length), after: 'message' };
  return { content: head.includes('chunked') ? 'chunked' : 'none', after: 'message' };
}

/** Reads two pieces. @returns what the sink was told, with offsets from the first byte */
function read(bytes: Buffer, cut: number, hasAll: boolean): string[] {
  const told: string[] = [];
  let offset = 0;
  const sink: MessageSink = {
    countsChunks: !hasAll,
    onHead: ({ text }) => {
      told.push(`head ${JSON.stringify(text)}`);
      return framingOf(text);
    },
    onContent: (_piece, start, end) => void told.push(...Array(end - start).fill('content')),
    onEnd: (end) => void told.push(`end ${offset + end}`),
    onStop: ({ kind, at, text }) => void told.push(`${kind} ${offset + at} ${text}`),
  };
  const others: Partial<MessageSink> = {
    onStart: (at) => void told.push(`start ${offset + at}`),
    onChunk: ({ line, start }) => void told.push(`chunk ${offset + start} ${line}`),
    onChunkEnd: (end) => void told.push(`chunk end ${end}`),
    onTrailers: ({ text }, end) => void told.push(`trailers ${offset + end} ${text}`),
  };
  const reader = new MessageReader(hasAll ? { ...sink, ...others } : sink, {
    section: 1000,
    skipsEmptyLines: true,
  });
  for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    for (let at = 0; at < piece.length && reader.state !== 'stopped';) at = reader.read(piece, at);
    offset += piece.length;
  }
  return told;
}

test.each([
  ['GET / HTTP/1.1\r\nA: b\r\n\r\n\r\nGET / HTTP/1.1\n\n', ['end 24', 'end 42']],
  ['POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\n\r\n', ['end 40', 'end 58']],
  [`${CHUNKED}1;a\r\nb\r\n0\r\nT: u\r\n\r\n${CHUNKED}1\nc\n0\n\n`, ['end 66', 'end 120']],
  [`${CHUNKED}1\r\nbc`, ['confused 51 ']],
  [`${CHUNKED}x\r\n`, ['confused 47 x\r\n']],
  ['CONNECT a:1 HTTP/1.1\r\n\r\nabc', ['end 24', 'tunnel 24 ']],
])('%j, cut anywhere', (text, ends) => {
  const bytes = Buffer.from(text, 'latin1');
  for (const hasAll of [true, false]) {
    const whole = read(bytes, 0, hasAll);
    expect(whole.filter((event) => /^(?:end|confused|tunnel) /.test(event))).toEqual(ends);
    for (let cut = 1; cut < bytes.length; cut++) expect(read(bytes, cut, hasAll)).toEqual(whole);
  }
});
