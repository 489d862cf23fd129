import { expect, test } from 'vitest';
import { overBothProtocolsAtOnce } from '../_everywhere.ts';
import { Stream } from '../_stream.ts';
import { timedBy } from './_timed.ts';

overBothProtocolsAtOnce(({ client, running, transport }) => {
  const timed = timedBy(client);

  test('HTML 9.2.6: events with timestamps', async () => {
    const before = Date.now();
    const { status, headers, body, time } = await timed('/sse?count=4&duration=0.3&jitter=0.5');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream');
    expect(headers['content-length']).toBeUndefined();
    const events = body.toString().split('\n\n');
    expect(events.pop()).toBe('');
    expect(events).toHaveLength(4);
    const times = events.map((event, at) => {
      const [, data = ''] = /^event: ping\ndata: (.*)$/.exec(event) ?? [];
      const { id, timestamp } = JSON.parse(data) as { id: number; timestamp: number };
      expect(id).toBe(at);
      return timestamp;
    });
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times.at(-1)).toBeGreaterThanOrEqual(before + 299);
    expect(time).toBeGreaterThan(299.9);
    expect(time).toBeLessThan(1000);
  });

  test.each(['/sse', '/jsonl'])('each of %s is sent when it is due', async (path) => {
    const target = `${path}?count=3&duration=0.4s&delay=100ms`;
    const stream = new Stream(transport, running().port, target);
    await stream.ended;
    const times = stream.arrivals.map(({ at }) => at);
    expect(times).toHaveLength(3);
    for (const [at, time] of times.entries()) {
      expect(time).toBeGreaterThan(99 + at * 200);
    }
    // The first ones did not wait for the last.
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150);
  });

  test('ten in five seconds by default', async () => {
    const { body, time } = await timed('/sse');
    expect(body.toString().match(/^data: /gm)).toHaveLength(10);
    expect(time).toBeGreaterThan(4999);
    expect(time).toBeLessThan(6000);
  });

  test.each([
    ['count=0', 0],
    ['count=1&duration=300', 1],
    ['duration=0', 10],
    ['count=10000&duration=0', 10_000],
  ])('%s is sent at once', async (query, count) => {
    const { body, time } = await timed(`/sse?${query}`);
    expect(body.toString().match(/^data: /gm) ?? []).toHaveLength(count);
    expect(time).toBeLessThan(8000);
  });

  test('HEAD waits for the delay only', async () => {
    const { status, body, time } = await timed('/sse?delay=0.1&duration=5', { method: 'HEAD' });
    expect([status, body.length]).toEqual([200, 0]);
    expect(time).toBeGreaterThan(98);
    expect(time).toBeLessThan(1000);
  });
});
