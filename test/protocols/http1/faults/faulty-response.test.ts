import { describe, expect, test } from 'vitest';
import {
  faultyResponse,
  type SoundResponse,
} from '../../../../src/protocols/http1/faults/faulty-response.ts';

type Fault = Parameters<typeof faultyResponse>[1];

const DATE = ['Date', 'now'];
const SECTION = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nDate: now\r\n\r\n';
const SOUND: SoundResponse = {
  status: 200,
  fields: ['Content-Length', '3', ...DATE],
  payload: 'abc',
  hasContent: true,
  hasChunks: true,
};
const streamed = { kind: 'streamed', next: () => undefined } as const;
const CHUNKED = { ...SOUND, fields: DATE, payload: streamed };
const CHUNKED_SECTION = 'HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n';

const close = (at: 'start' | 'headers' | 'body' | 'end', after = 0): Fault => ({
  kind: 'close',
  at,
  after,
});

const faulty = (fault: Fault, sound = SOUND) => faultyResponse(sound, fault, false);

test.each<[Fault, object]>([
  [close('start'), { head: '', limit: 0, tail: '' }],
  [close('headers'), { head: SECTION.slice(0, SECTION.length / 2), limit: 0, tail: '' }],
  [close('body', 2), { head: SECTION, limit: 2, tail: '' }],
  [close('end'), { head: SECTION, limit: Infinity, tail: '' }],
])('%j', (fault, expected) => {
  expect(faulty(fault)).toMatchObject(expected);
});

const GRACEFUL = { do: 'close', how: 'graceful' };
const COMPLETE = { do: 'own', step: 'complete' };

test.each<[Fault, ...object[]]>([
  [close('body'), GRACEFUL],
  [
    { kind: 'reset', at: 'body', after: 0 },
    { do: 'close', how: 'reset' },
  ],
  [
    { kind: 'truncate-tls', at: 'body', after: 0 },
    { do: 'close', how: 'truncate' },
  ],
  [{ kind: 'stall', at: 'body', after: 0, seconds: 7 }, { do: 'pause', seconds: 7 }, GRACEFUL],
  [{ kind: 'content-length', declared: 1, sent: 2 }, GRACEFUL],
  [{ kind: 'chunk', how: 'no-crlf' }, GRACEFUL],
  [{ kind: 'chunk', how: 'long-extension' }, COMPLETE],
  [{ kind: 'head', how: 'nul' }, COMPLETE],
  [{ kind: 'head', how: 'two-lengths' }, GRACEFUL],
  [{ kind: 'head', how: 'no-status' }, GRACEFUL],
  [{ kind: 'garbage', length: 1 }, GRACEFUL],
  [{ kind: 'raw', bytes: Buffer.from('x'), then: 'keep' }, COMPLETE],
  [{ kind: 'raw', bytes: Buffer.from('x') }, GRACEFUL],
])('%j ends', (fault, ...ending) => {
  expect(faultyResponse(SOUND, fault, true).ending).toEqual(ending);
});

describe('chunks', () => {
  test('without a known length', () => {
    const { head, chunkStart, chunkEnd, tail } = faulty(close('body'), CHUNKED);
    expect([head, chunkStart(26, true), chunkEnd, tail]).toEqual([
      CHUNKED_SECTION,
      '1a\r\n',
      '\r\n',
      '',
    ]);
  });

  test('none on HTTP/1.0', () => {
    const sound = { ...CHUNKED, hasChunks: false };
    const { head, chunkStart, chunkEnd } = faulty(close('body'), sound);
    expect(head).not.toContain('chunked');
    expect([chunkStart(26, true), chunkEnd]).toEqual(['', '']);
  });

  test('none for HEAD, but the field that GET would have', () => {
    const sound = { ...CHUNKED, hasContent: false };
    for (const how of ['no-crlf', 'bad-size', 'overflow', 'forbidden-trailer'] as const) {
      const shown = faulty({ kind: 'chunk', how }, sound);
      expect(shown).toMatchObject({ head: CHUNKED_SECTION, chunkEnd: '', tail: '' });
    }
  });

  test('a fault of them replaces a length', () => {
    const { head } = faulty({ kind: 'chunk', how: 'no-last' });
    expect(head).toBe(CHUNKED_SECTION);
  });

  test('a wrong length replaces them', () => {
    const { head } = faulty({ kind: 'content-length', declared: 9, sent: 3 }, CHUNKED);
    expect(head).toBe('HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 9\r\n\r\n');
  });
});

test.each<[Fault, string]>([
  [{ kind: 'truncate-tls', at: 'body', after: 0 }, 'truncate-tls: the connection does not use TLS'],
  [{ kind: 'rst-stream', at: 'body', after: 0, code: 0 }, 'rst-stream: HTTP/1.1 has no streams'],
  [{ kind: 'frame', how: 'rst-idle' }, 'garbage: frame=rst-idle: HTTP/1.1 has no frames'],
  [
    { kind: 'head', how: 'late-pseudo' },
    'head: how=late-pseudo is for HTTP/2; HTTP/1.1 has bare-lf',
  ],
])('%j is not available', (fault, why) => {
  expect(() => faulty(fault)).toThrow(why);
});

test('HTTP/1.0 has no faults of chunks', () => {
  const sound = { ...SOUND, hasChunks: false };
  expect(() => faulty({ kind: 'chunk', how: 'no-last' }, sound)).toThrow(
    'chunk: HTTP/1.0 has no chunked coding',
  );
});
