import { expect, test } from 'vitest';
import { EventParser, lineOf } from '../../src/browser/tap-event.ts';

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

test.each(['no JSON', '3', 'null', ''])('leaves out data that is no event: %j', (data) => {
  expect(new EventParser().push(`data: ${data}\n\n`)).toEqual([]);
});

const common = { time: '2026-11-22T19:19:44.287Z', conn: '4', remote: '127.0.0.1:5' };

test.each([
  ['opened', {}, 'accepted', 'connection 4 · 127.0.0.1:5', false],
  [
    'handshake',
    { version: 'TLSv1.3', alpn: null, sni: 'a' },
    'TLSv1.3',
    'ALPN none · SNI a · connection 4 · 127.0.0.1:5',
    false,
  ],
  [
    'handshake_failed',
    { reason: 'unsupported protocol', code: 'ERR_X', sni: null, ja4: 't13' },
    'unsupported protocol (ERR_X)',
    't13 · connection 4 · 127.0.0.1:5',
    true,
  ],
  [
    'request',
    { method: 'GET', path: '/<b>', query: 'x', status: 404, octets: 1, complete: true },
    'GET /<b>?x → 404',
    '1 byte · connection 4 · 127.0.0.1:5',
    false,
  ],
  [
    'request',
    {
      method: 'GET',
      path: '/',
      query: '',
      status: null,
      octets: 1200,
      complete: false,
      error_code: 'CANCEL',
      timing: { duration_ms: 2.25 },
      protocol: 'h2',
    },
    'GET / → no response',
    'not sent to its end · CANCEL · 1,200 bytes · 2.3 ms · h2 · connection 4 · 127.0.0.1:5',
    true,
  ],
  [
    'rejected',
    { reason: 'Duplicate Host', method: 'GET', path: '/a' },
    'Duplicate Host',
    'GET · /a · connection 4 · 127.0.0.1:5',
    true,
  ],
  [
    'closed',
    { by: 'wirebin', reason: 'fault', requests: 2, duration_ms: 1 },
    'by wirebin: fault',
    '2 requests · 1.0 ms · connection 4 · 127.0.0.1:5',
    false,
  ],
])('a line for %s %j', (kind, details, text, more, isBad) => {
  const line = lineOf({ kind, ...common, ...details });
  expect(line).toEqual({
    time: '19:19:44.287',
    kind: kind.replace('_', ' '),
    text,
    more,
    isBad,
  });
});

test('a line for events without a connection, and for those of which nothing is known', () => {
  expect(lineOf({ kind: 'lost', count: 1 })).toMatchObject({
    text: '1 event missed: this page was too slow',
    more: '',
    isBad: true,
  });
  expect(lineOf({ kind: 'end', reason: 'draining' })).toMatchObject({ text: 'draining' });
  expect(lineOf({})).toEqual({ time: '', kind: '', text: '', more: '', isBad: false });
});
