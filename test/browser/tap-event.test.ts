import { expect, test } from 'vitest';
import { EventParser, lineOf } from '../../src/browser/tap-event.ts';
import type { TapEvent } from '../../src/telemetry/tap/event-schema.ts';

const stream =
  ':\n\nid: a-1\nevent: opened\ndata: {"kind":"opened","conn":"1"}\n\n' +
  ':\n\nid: a-1,b-7\nevent: closed\ndata: {"kind":"closed","conn":"ü: \\n"}\n\nid: a-2\nevent: x';

test.each([stream.length, 1, 2, 7, 40])('reads events in pieces of %i characters', (length) => {
  const parser = new EventParser();
  const pieces = stream.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
  expect(pieces.flatMap((piece) => parser.push(piece))).toEqual([
    { kind: 'opened', conn: '1' },
    { kind: 'closed', conn: 'ü: \n' },
  ]);
  expect(parser.lastId).toBe('a-1,b-7');
});

test.each(['no JSON', '3', 'null', '{}', ''])('leaves out data that is no event: %j', (data) => {
  expect(new EventParser().push(`data: ${data}\n\n`)).toEqual([]);
});

const tls = { version: 'TLSv1.3', cipher_suite: null, alpn: null, session_reused: false };
const exchange = { group: 'x25519', hello_retry_request: false };
const hello = {
  ...exchange,
  sni: 'a',
  ja4: 't13',
  ja3n_hash: null,
  alpn_offered: null,
  versions_offered: null,
};
const request = { request: 1, method: 'GET', path: '/<b>', query: 'x', status: 404, octets: 1 };
const end = { complete: true, timing: { answered_ms: null, duration_ms: 2.25 }, raw_headers: [] };
const closed = { requests: 2, octets_received: 1, octets_sent: 1, duration_ms: 1 };
const place = { time: '2026-11-22T19:19:44.287Z', conn: '4', remote: '127.0.0.1:5' };
const facts = { ...place, protocol: 'h2', ...tls, ...hello, ...request, ...end, ...closed };
const error = { reason: 'unsupported protocol', code: 'ERR_X' };
const cut = { query: '', status: null, octets: 1200, complete: false, error_code: 'CANCEL' };

const lines: readonly (readonly [TapEvent, text: string, more: string, isBad: boolean])[] = [
  [{ kind: 'opened', ...facts }, 'accepted', '', false],
  [{ kind: 'handshake', ...facts }, 'TLSv1.3', 'ALPN none · SNI a · ', false],
  [
    { kind: 'handshake_failed', ...facts, ...error, sni: null },
    'unsupported protocol (ERR_X)',
    't13 · ',
    true,
  ],
  [{ kind: 'request', ...facts }, 'GET /<b>?x → 404', '1 byte · 2.3 ms · h2 · ', false],
  [
    { kind: 'request', ...facts, ...cut },
    'GET /<b> → no response',
    'not sent to its end · CANCEL · 1,200 bytes · 2.3 ms · h2 · ',
    true,
  ],
  [{ kind: 'rejected', ...facts, reason: 'two Hosts' }, 'two Hosts', 'GET · /<b> · ', true],
  [
    { kind: 'closed', ...facts, by: 'wirebin', reason: 'fault' },
    'by wirebin: fault',
    '2 requests · 1.0 ms · ',
    false,
  ],
];

test.each(lines)('a line for %j', (event, text, more, isBad) => {
  const kind = event.kind.replace('_', ' ');
  const from = '127.0.0.1:5';
  expect(lineOf(event)).toEqual({
    time: '19:19:44.287',
    kind,
    connection: '4',
    text,
    more: more + from,
    isBad,
  });
});

test('a kind that a newer service has added is shown by its name', () => {
  const data = '{"kind":"opened_again","conn":"4"}';
  const [event] = new EventParser().push(`data: ${data}\n\n`);
  expect(event && lineOf(event)).toMatchObject({ kind: 'opened again', text: '', isBad: false });
  expect(new EventParser().push('data: {"kind":1}\n\n')).toEqual([]);
});

test('a line for events without a connection', () => {
  expect(lineOf({ kind: 'lost', count: 1, first: 'a-1', last: 'a-1' })).toEqual({
    time: '',
    kind: 'lost',
    connection: undefined,
    text: '1 event missed: this page was too slow',
    more: '',
    isBad: true,
  });
  expect(lineOf({ kind: 'end', reason: 'draining' })).toMatchObject({ text: 'draining' });
});
