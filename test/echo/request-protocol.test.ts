import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { eventsOf } from '../_events.ts';
import { sharedPlace } from '../_everywhere.ts';
import { exchange, GET, LAST } from '../_raw.ts';

const OLD = 'GET /anything HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';

describe.each([
  ['plaintext', undefined, 'http'],
  ['TLS', ['http/1.1'], 'https'],
  ['TLS with ALPN http/1.0', ['http/1.0'], 'https'],
])('requests of both versions on one connection, %s', (_, alpn, scheme) => {
  const { running } = sharedPlace('http/1.1', '--tap', '--log-requests');
  let contents: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const received = await exchange(running().port, OLD + GET('/anything', LAST), alpn);
    const bodies = received.match(/^\{$[\s\S]*?^\}$/gm) ?? [];
    contents = bodies.map((body) => JSON.parse(body) as Record<string, unknown>);
    // The tap has its end, too.
    await until(() => running().service.connections?.entries().open.length === 0);
  });

  const each = [`${scheme}/1.0`, `${scheme}/1.1`];

  test('the echo has the protocol of each request', () => {
    const protocols = contents.map(({ conn }) => (conn as { protocol: string }).protocol);
    expect(protocols).toEqual(each);
  });

  test('so does the log', () => {
    const lines = running().logged.filter(
      ({ msg, path }) => msg === 'request' && path === '/anything',
    );
    expect(lines.map(({ protocol }) => protocol)).toEqual(each);
  });

  test('so does the tap; the connection itself has the protocol of HTTP/1.1', async () => {
    const origin = `http://127.0.0.1:${running().port}`;
    const tap = await fetch(`${origin}/tap?kind=request,closed&duration=0.1`, {
      headers: { 'last-event-id': '0' },
    });
    const events = eventsOf(await tap.text()).filter(({ data }) => data['protocol'] !== undefined);
    expect(events.map(({ data }) => data['protocol'])).toEqual([...each, `${scheme}/1.1`]);
    const connections = await fetch(`${origin}/connections`);
    const { transports } = (await connections.json()) as { transports: object };
    expect(Object.keys(transports)).toContain(`${scheme}/1.1`);
    expect(Object.keys(transports)).not.toContain(`${scheme}/1.0`);
  });
});
