import { expect, test } from 'vitest';
import { isOwnRequest, ownRows } from '../../src/browser/tap-own.ts';
import type { TapEvent } from '../../src/telemetry/tap/event-schema.ts';

const AGENT = 'Mozilla/5.0 (X)';

/** A request of this browser. */
function request(target: string, fields: Readonly<Record<string, string>>, method = 'GET') {
  const [path = '', query = ''] = target.split('?');
  return {
    kind: 'request' as const,
    time: '2026-11-22T19:19:44.287Z',
    conn: '4',
    protocol: 'http/1.1',
    remote: '127.0.0.1:5',
    request: 1,
    method,
    path,
    query,
    status: 200,
    octets: 1,
    complete: true,
    timing: { answered_ms: 1, duration_ms: 2 },
    raw_headers: Object.entries({ 'User-Agent': AGENT, ...fields }),
  } satisfies TapEvent;
}

const document = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ofForm = { Accept: '*/*', 'Sec-Fetch-Dest': 'empty' };
const ofModule = { ...ofForm, 'x-wirebin-page': '1' };

test.each<[string, TapEvent, boolean]>([
  ['the page', request('/', document), true],
  ['the page over TLS', request('/', { ...document, 'sec-fetch-dest': 'document' }), true],
  ['a page of the documentation', request('/docs/tap', document), true],
  ['the style sheet of the documentation', request('/docs/x.css', { Accept: 'text/css' }), true],
  ['a style sheet', request('/page/x/page.css', { Accept: 'text/css,*/*;q=0.1' }), true],
  ['a module', request('/page/x/tap.js', { Accept: '*/*', 'Sec-Fetch-Dest': 'script' }), true],
  ['its stream of events', request('/tap', ofModule), true],
  ['the story of a connection', request('/connections/7', ofModule), true],
  ['a form for it', request('/', ofForm), false],
  ['a form for a file', request('/page/x/page.css', ofForm), false],
  ['a form for the events', request('/tap', ofForm), false],
  ['a form without scripts', request('/?try=bytes', document), false],
  ['another path', request('/anything', document), false],
  ['another method', request('/', document, 'POST'), false],
  ['curl', request('/', { ...document, 'User-Agent': 'curl/8' }), false],
  ['the page of another browser', request('/tap', { ...ofModule, 'User-Agent': 'B' }), false],
  ['what never became one', { ...request('/', document), kind: 'rejected', reason: 'x' }, false],
])('whether the page itself has sent a request: %s', (_, event, expected) => {
  expect(isOwnRequest(event, AGENT)).toBe(expected);
});

const row = (kind: string, connection: string | undefined, isOwn = false) => ({
  kind,
  connection,
  isOwnRequest: isOwn,
});

test('of a connection that carried nothing else, all events are the page’s own', () => {
  const [opened, asked, closed] = [
    row('opened', '1'),
    row('request', '1', true),
    row('closed', '1'),
  ];
  const others = [
    row('opened', '2'),
    row('request', '2'),
    row('opened', '3'),
    row('handshake_failed', '3'),
    row('lost', undefined),
  ];
  const shared = row('request', '2', true);
  const own = ownRows([opened, ...others, asked, shared, closed]);
  expect([...own]).toEqual([opened, asked, shared, closed]);
});
