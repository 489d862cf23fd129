import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import { eventsOf, numberOf, type SentEvent } from '../_events.ts';
import { expectRefused } from '../_refusal.ts';
import { startService } from '../_service.ts';
import { Stream } from '../_stream.ts';
import { Reader } from '../_tap.ts';
import { ask } from '../_walk.ts';

function kindsOf(events: readonly SentEvent[]): unknown[] {
  return events.map(({ data }) => data['kind']);
}

/** Whether there are that many events of a kind, optionally for a path. */
function has(count: number, kind: string, path?: string) {
  return (events: readonly SentEvent[]): boolean =>
    events.filter(
      ({ data }) => data['kind'] === kind && (path === undefined || data['path'] === path),
    ).length >= count;
}

const nothing = (): Promise<void> => Promise.resolve();

describe.each(['http/1.1', 'h2'] as const)('over %s', (transport) => {
  // One for each test, so that there are no events of other tests.
  let port = 0;
  beforeEach(async () => {
    ({ port } = await startService('--tap'));
  });
  const visit = async (target: string, headers: Record<string, string> = {}) =>
    ask(transport, port, target, { headers });
  /** The tap's events during `act`, until `enough` returns true. The reader stays: its end would be an event. */
  const tapped = async (
    act: () => Promise<unknown>,
    enough: (events: readonly SentEvent[]) => boolean,
    query = '',
    from?: string,
  ): Promise<SentEvent[]> => {
    const reader = await Reader.open(transport, port, query, from);
    await act();
    await until(() => enough(reader.events));
    return reader.events;
  };
  const visits = async (): Promise<void> => {
    for (const target of ['/bytes/1', '/bytes/2/3', '/get']) await visit(target);
  };
  const leave = async (): Promise<void> => {
    const before = new Stream(transport, port, '/delay/20');
    await pause(100);
    before.close();
    const midst = new Stream(transport, port, '/drip?numbytes=100&duration=20');
    await until(() => midst.arrivals.length > 0);
    midst.close();
  };
  const isTls = transport === 'h2';

  test('a connection from open to close', async () => {
    const events = await tapped(
      async () => visit('/bytes/7?x=1&pin=2', { 'X-Asked': 'this' }),
      has(1, 'closed'),
    );
    const shake = isTls ? ['handshake'] : [];
    expect(kindsOf(events)).toEqual(['opened', ...shake, 'request', 'closed']);
    for (const { event, data } of events) expect(event).toBe(data['kind']);
    const ids = events.map(({ id }) => numberOf(id));
    expect(ids).toEqual(ids.map((_, nth) => (ids[0] ?? 0) + nth));
    const [opened] = events;
    const { data: request = {} } = events.find(({ event }) => event === 'request') ?? {};
    expect(request).toMatchObject({
      conn: opened?.data['conn'],
      protocol: transport,
      remote: opened?.data['remote'],
      request: 1,
      ...(transport.startsWith('h2') && { stream: 1 }),
      method: 'GET',
      path: '/bytes/7',
      query: 'x=1&pin=[redacted]',
      status: 200,
      octets: 7,
      complete: true,
    });
    expect(Object.hasOwn(request, 'stream')).toBe(transport.startsWith('h2'));
    expect(JSON.stringify(request)).not.toContain('pin=2');
    const names = (request['raw_headers'] as string[][]).map(([name]) => name);
    expect(names).toContain(transport.startsWith('h2') ? 'x-asked' : 'X-Asked');
    const { answered_ms, duration_ms } = request['timing'] as Record<string, number>;
    expect(answered_ms).toBeGreaterThan(0);
    expect(duration_ms).toBeGreaterThanOrEqual(answered_ms ?? 0);
    expect(events.at(-1)?.data).toMatchObject({ by: 'client', requests: 1 });
    expect(events.at(-1)?.data['octets_received']).toBeGreaterThan(50);
    expect(events.at(-1)?.data['octets_sent']).toBeGreaterThan(50);
    if (!isTls) return;
    expect(events[1]?.data).toMatchObject({
      version: 'TLSv1.3',
      alpn: transport === 'h2' ? 'h2' : null,
      session_reused: false,
      group: expect.stringMatching(/^(x25519|X25519MLKEM768)$/),
      hello_retry_request: false,
    });
    expect(events[1]?.data['ja3n_hash']).toMatch(/^[\da-f]{32}$/);
    expect(events[1]?.data['ja4']).toMatch(/^t13i\d{4}(h2|00)_[\da-f]{12}_[\da-f]{12}$/);
  });

  test('bytes are those of the encoded content', async () => {
    const targets = ['/gzip', '/bytes/100000', '/drip?numbytes=5&duration=0.1', '/status/204'];
    const sizes: number[] = [];
    const act = async (): Promise<void> => {
      const other = openClient(transport, port);
      for (const target of targets) sizes.push((await other.request(target)).body.length);
      await other.request('/bytes/9', { method: 'HEAD' });
      other.close();
    };
    const events = await tapped(act, has(5, 'request'), '?kind=request');
    const bytes = events.map(({ data }) => data['octets']);
    expect(bytes).toEqual([...sizes, 0]);
    expect(bytes).toEqual([expect.any(Number), 100_000, 5, 0, 0]);
  });

  test('a client that disconnects before the response, and one during it', async () => {
    const events = await tapped(leave, has(2, 'request'), '?kind=request');
    expect(events.map(({ data }) => [data['status'], data['complete']])).toEqual([
      [null, false],
      [200, false],
    ]);
    const [before, midst] = events.map(({ data }) => data);
    expect(before).toMatchObject({ octets: 0, timing: { answered_ms: null } });
    expect(midst?.['octets']).toBeGreaterThan(0);
    expect(midst?.['octets']).toBeLessThan(100);
  });

  test('filters by path, kind and connection', async () => {
    // The last event matches, so the earlier ones do not.
    const paths = async (query: string, last: string): Promise<unknown[]> => {
      const act = async (): Promise<unknown> => visits().then(async () => visit(last));
      const events = await tapped(act, has(1, 'request', last), query);
      return events.map(({ data }) => data['path']);
    };
    expect(await paths('?path=/bytes/*', '/bytes/9')).toEqual([
      '/bytes/1',
      '/bytes/2/3',
      '/bytes/9',
    ]);
    expect(await paths('?path=/get*', '/get2')).toEqual(['/get', '/get2']);
    expect(await paths('?path=*t*', '/t')).toEqual(['/bytes/1', '/bytes/2/3', '/get', '/t']);
    const closed = await tapped(visits, has(3, 'closed'), '?kind=closed,rejected');
    expect(kindsOf(closed)).toEqual(['closed', 'closed', 'closed']);
    const conn = String(closed[1]?.data['conn']);
    const one = await tapped(visits, has(1, 'closed'), `?conn=${conn}`, '');
    expect(one.length).toBeGreaterThan(2);
    expect(new Set(one.map(({ data }) => data['conn']))).toEqual(new Set([conn]));
  });

  test('refuses a mistyped filter, without which all events would be sent', async () => {
    const client = openClient(transport, port);
    const detail = 'knid is not a parameter of /tap; did you mean kind?';
    await expectRefused(client, '/tap?knid=request', detail);
  });

  test('continues after the event in Last-Event-ID', async () => {
    const before = await tapped(async () => visit('/uuid'), has(1, 'request'));
    await visit('/ip');
    const from = before.findLast(({ event }) => event === 'request')?.id ?? '';
    const after = await tapped(async () => visit('/get'), has(2, 'request'), '', from);
    expect(numberOf(after[0]?.id)).toBe(numberOf(from) + 1);
    expect(
      after.filter(({ event }) => event === 'request').map(({ data }) => data['path']),
    ).toEqual(['/ip', '/get']);
    expect(JSON.stringify(after)).not.toContain('/uuid');
    const other = await tapped(nothing, has(1, 'request'), '', 'other-3');
    expect(numberOf(other[0]?.id)).toBe(1);
  });

  test('ends with an event when the duration is over', async () => {
    const target = '/tap?duration=0.2&kind=rejected';
    const { status, headers, body } = await ask(transport, port, target);
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(eventsOf(body.toString()).map(({ data }) => data)).toEqual([
      { kind: 'end', reason: 'duration' },
    ]);
  });
});
