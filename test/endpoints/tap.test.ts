import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openClient, type Client } from '../_client.ts';
import { eventsOf, numberOf, type SentEvent } from '../_events.ts';
import { everywhere } from '../_everywhere.ts';

/** What the tap says while `act` acts. */
async function tapped(
  client: Client,
  act: () => Promise<unknown>,
  query = 'duration=0.4',
  headers: Record<string, string> = {},
): Promise<SentEvent[]> {
  const reading = client.request(`/tap?${query}`, { headers });
  await pause(100);
  await act();
  const { status, headers: fields, body } = await reading;
  expect([status, fields['content-type']]).toEqual([200, 'text/event-stream']);
  return eventsOf(body.toString());
}

function kindsOf(events: readonly SentEvent[]): unknown[] {
  return events.map(({ data }) => data['kind']);
}

everywhere(({ transport, client, running }) => {
  const visit = async (target: string, headers: Record<string, string> = {}): Promise<void> => {
    const other = openClient(transport, running().port);
    await other.request(target, { headers });
    other.close();
    await pause(50);
  };
  const visits = async (): Promise<void> => {
    for (const target of ['/bytes/1', '/bytes/2/3', '/get']) await visit(target);
  };
  const isTls = transport === 'h2' || transport === 'https/1.1';

  test('a connection from its beginning to its end', async () => {
    const events = await tapped(client(), () => visit('/bytes/7?x=1', { 'X-Asked': 'this' }));
    const shake = isTls ? ['handshake'] : [];
    expect(kindsOf(events)).toEqual(['opened', ...shake, 'request', 'closed', 'end']);
    for (const { event, data } of events) expect(event).toBe(data['kind']);
    const ids = events.slice(0, -1).map(({ id }) => numberOf(id));
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
      query: '[redacted]',
      status: 200,
      octets: 7,
      complete: true,
    });
    expect(Object.hasOwn(request, 'stream')).toBe(transport.startsWith('h2'));
    expect(JSON.stringify(request)).not.toContain('x=1');
    const names = (request['raw_headers'] as string[][]).map(([name]) => name);
    expect(names).toContain(transport.startsWith('h2') ? 'x-asked' : 'X-Asked');
    const { answered_ms, duration_ms } = request['timing'] as Record<string, number>;
    expect(answered_ms).toBeGreaterThan(0);
    expect(duration_ms).toBeGreaterThanOrEqual(answered_ms ?? 0);
    expect(events.at(-2)?.data).toMatchObject({ by: 'client', requests: 1 });
    expect(events.at(-2)?.data['octets_received']).toBeGreaterThan(50);
    expect(events.at(-2)?.data['octets_sent']).toBeGreaterThan(50);
    if (!isTls) return;
    expect(events[1]?.data).toMatchObject({
      version: 'TLSv1.3',
      alpn: transport === 'h2' ? 'h2' : null,
      session_reused: false,
    });
    expect(events[1]?.data['ja4']).toMatch(/^t13i\d{4}(h2|00)_[\da-f]{12}_[\da-f]{12}$/);
  });

  test('octets are those of the content, coded as it is sent', async () => {
    const targets = ['/gzip', '/bytes/100000', '/drip?numbytes=5&duration=0.1', '/status/204'];
    const sizes: number[] = [];
    const act = async (): Promise<void> => {
      const other = openClient(transport, running().port);
      for (const target of targets) sizes.push((await other.request(target)).body.length);
      await other.request('/bytes/9', { method: 'HEAD' });
      other.close();
    };
    const events = await tapped(client(), act, 'duration=0.8&kind=request');
    const octets = events.slice(0, -1).map(({ data }) => data['octets']);
    expect(octets).toEqual([...sizes, 0]);
    expect(octets).toEqual([expect.any(Number), 100_000, 5, 0, 0]);
  });

  test('a client that goes before its answer, and one that goes in the midst of it', async () => {
    const events = await tapped(
      client(),
      async () => {
        for (const target of ['/delay/20', '/drip?numbytes=100&duration=20']) {
          const other = openClient(transport, running().port);
          const lost = other.request(target).catch(() => undefined);
          await pause(100);
          other.leave();
          await lost;
        }
      },
      'duration=0.6&kind=request',
    );
    expect(events.slice(0, -1).map(({ data }) => [data['status'], data['complete']])).toEqual([
      [null, false],
      [200, false],
    ]);
    const [before, midst] = events.map(({ data }) => data);
    expect(before).toMatchObject({ octets: 0, timing: { answered_ms: null } });
    expect(midst?.['octets']).toBeGreaterThan(0);
    expect(midst?.['octets']).toBeLessThan(100);
  });

  test('filters by path, kind and connection', async () => {
    const paths = async (query: string): Promise<unknown[]> =>
      (await tapped(client(), visits, `duration=0.6&${query}`)).map(({ data }) => data['path']);
    expect(await paths('path=/bytes/*')).toEqual(['/bytes/1', '/bytes/2/3', undefined]);
    expect(await paths('path=/get')).toEqual(['/get', undefined]);
    expect(await paths('path=*t*')).toEqual(['/bytes/1', '/bytes/2/3', '/get', undefined]);
    const closed = await tapped(client(), visits, 'duration=0.6&kind=closed,rejected');
    expect(kindsOf(closed)).toEqual(['closed', 'closed', 'closed', 'end']);
    const conn = String(closed[1]?.data['conn']);
    const one = await tapped(client(), visits, `duration=0.1&conn=${conn}`, {
      'last-event-id': '',
    });
    expect(one.length).toBeGreaterThan(3);
    expect(new Set(one.slice(0, -1).map(({ data }) => data['conn']))).toEqual(new Set([conn]));
  });

  test('goes on behind the event that Last-Event-ID names', async () => {
    const before = await tapped(client(), () => visit('/uuid'));
    await visit('/ip');
    const from = before.findLast(({ event }) => event === 'request')?.id ?? '';
    const after = await tapped(client(), () => visit('/get'), undefined, {
      'last-event-id': from,
    });
    expect(numberOf(after[0]?.id)).toBe(numberOf(from) + 1);
    expect(
      after.filter(({ event }) => event === 'request').map(({ data }) => data['path']),
    ).toEqual(expect.arrayContaining(['/ip', '/get']));
    expect(JSON.stringify(after)).not.toContain('/uuid');
    const other = await tapped(client(), pause, 'duration=0', { 'last-event-id': 'other-3' });
    expect(numberOf(other[0]?.id)).toBe(1);
  });
}, '--tap');

everywhere(({ client }) => {
  test('is not there unless it is asked for', async () => {
    expect((await client().request('/tap')).status).toBe(404);
    expect((await client().request('/connections')).status).toBe(404);
    expect((await client().request('/')).body.toString()).not.toContain('/tap');
  });
});
