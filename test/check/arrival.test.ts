import { expect, test } from 'vitest';
import { arrivalOf } from '../../src/check/arrival.ts';
import type { FieldLine, Transfer } from '../../src/check/message.ts';
import type { JournalEntry } from '../../src/telemetry/journal/entry.ts';

const TAG = 'check-0123456789ab';
const SENT = `POST /a HTTP/1.1\r\nHost: a\r\nX-Wirebin-Journal: ${TAG}\r\n\r\n`;

function transferWith(sent: string, content: string): Transfer {
  return {
    sent,
    received: '',
    interim: [],
    response: { status: 200, fields: [], content: Buffer.from(content), trailers: [] },
    ending: 'complete',
    firstByte: 1,
    duration: 1,
    isReusable: true,
  };
}

const tag: FieldLine = ['x-wirebin-journal', TAG];

/** What checks read of an echo: those of other versions may lack the rest. */
function echo(rawHeaders: readonly FieldLine[], more: Readonly<Record<string, unknown>> = {}) {
  return JSON.stringify({
    method: 'POST',
    path: '/a',
    query: 'b=1',
    http_version: 'HTTP/1.1',
    raw_headers: rawHeaders,
    body: 'text',
    body_encoding: 'utf8',
    process: '',
    conn: { id: '1', protocol: 'http/1.1', request: 1, remote: '' },
    ...more,
  });
}

test('by the echo: request line, fields, content, trailers', () => {
  const content = echo([['host', 'a'], tag], { raw_trailers: [['X-Sum', '1']] });
  expect(arrivalOf(transferWith(SENT, content), new Map())).toBe(
    `POST /a?b=1 HTTP/1.1\r\nhost: a\r\nx-wirebin-journal: ${TAG}\r\n\r\ntextX-Sum: 1\r\n`,
  );
});

test('on HTTP/2 the pseudo-header fields are the request line', () => {
  const content = echo([[':method', 'POST'], tag], { body: '' });
  expect(arrivalOf(transferWith(SENT, content), new Map())).toBe(
    `:method: POST\r\nx-wirebin-journal: ${TAG}\r\n\r\n`,
  );
});

const entry: JournalEntry = {
  time: '2026-01-01T00:00:00.000Z',
  conn: '1',
  request: 1,
  method: 'POST',
  target: '/a',
  protocol: 'http/1.1',
  raw_headers: [['Host', 'a']],
  content: { octets: 4, sha256: '', complete: true },
  response: { status: 503, octets: 0 },
  outcome: 'sent',
  timing: { answered_ms: 1, duration_ms: 1 },
};

test('by the echo, with the target that the journal has', () => {
  const journal = new Map([[TAG, [{ ...entry, target: 'http://b/a?b=1' }]]]);
  const arrival = arrivalOf(transferWith(SENT, echo([['host', 'a'], tag])), journal);
  expect(arrival).toMatch(/^POST http:\/\/b\/a\?b=1 HTTP\/1\.1\r\nhost: a\r\n/);
});

test('by the journal, with each attempt', () => {
  const content = { octets: 2, sha256: '', complete: false };
  const cut: JournalEntry = { ...entry, content, response: null, outcome: 'disconnected' };
  const journal = new Map([[TAG, [entry, cut]]]);
  expect(arrivalOf(transferWith(SENT, 'no echo'), journal)).toBe(
    'POST /a HTTP/1.1\r\nHost: a\r\n\r\n(4 bytes of content; response 503: sent)\n' +
      'POST /a HTTP/1.1\r\nHost: a\r\n\r\n(2 bytes of content, incomplete; no response: disconnected)',
  );
});

test('nothing is known of a request without a tag, or one that the origin does not know', () => {
  const journal = new Map([[TAG, []]]);
  expect(arrivalOf(transferWith(SENT, 'no echo'), journal)).toBeUndefined();
  expect(arrivalOf(transferWith('GET / HTTP/1.1\r\n\r\n', echo([tag])), journal)).toBeUndefined();
  // The response of another request is no evidence of this one.
  expect(arrivalOf(transferWith(SENT, echo([['host', 'a']])), journal)).toBeUndefined();
});
