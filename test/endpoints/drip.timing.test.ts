import { expect, test } from 'vitest';
import { overBothProtocolsAtOnce } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';
import { Stream } from '../_stream.ts';
import { timedBy } from './_timed.ts';

overBothProtocolsAtOnce(({ client, running, transport }) => {
  const timed = timedBy(client);

  test('ten asterisks in two seconds by default', async () => {
    const { status, headers, body, time } = await timed('/drip');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-length']).toBeUndefined();
    expect(headers['transfer-encoding']).toBe(transport.endsWith('1.1') ? 'chunked' : undefined);
    expect(body.toString()).toBe('**********');
    expect(time).toBeGreaterThan(1990);
    expect(time).toBeLessThan(2500);
  });

  test('the first after the delay, the others at equal intervals, the last at the end', async () => {
    const stream = new Stream(transport, running().port, '/drip?numbytes=6&duration=1&delay=0.3');
    await stream.ended;
    const times = stream.arrivals.flatMap(({ at, length }) => Array.from({ length }, () => at));
    expect(times).toHaveLength(6);
    times.forEach((time, index) => {
      expect(time).toBeGreaterThan(300 + index * 200 - 5);
      expect(time).toBeLessThan(300 + index * 200 + 150);
    });
  });

  test('durations with a unit', async () => {
    const { body, time } = await timed('/drip?numbytes=2&duration=100ms&delay=0.1s');
    expect(body).toHaveLength(2);
    expect(time).toBeGreaterThan(199);
    expect(time).toBeLessThan(700);
  });

  test('intervals shorter than the resolution of timers', async () => {
    const { body, time } = await timed('/drip?numbytes=10000&duration=0.5');
    expect(body.equals(Buffer.alloc(10_000, '*'))).toBe(true);
    expect(time).toBeGreaterThan(490);
    expect(time).toBeLessThan(1000);
  });

  test.each([
    ['numbytes=0', 0],
    ['numbytes=0&duration=0', 0],
    ['numbytes=1&duration=300', 1],
    ['numbytes=10000&duration=0', 10_000],
    ['numbytes=3&duration=0.000001&delay=0.0', 3],
    ['numbytes=3&duration=10ns&delay=0h', 3],
  ])('%s is sent at once', async (query, length) => {
    const { status, body, time } = await timed(`/drip?${query}`);
    expect(status).toBe(200);
    expect(body).toHaveLength(length);
    expect(time).toBeLessThan(500);
  });

  test.each([201, 206, 302, 404, 500, 599])('status %d', async (code) => {
    const { status, body } = await timed(`/drip?duration=0&code=${code}`);
    expect([status, body.length]).toEqual([code, 10]);
  });

  test.each([204, 205, 304])('status %d has no content, after the delay', async (code) => {
    const { status, headers, body, time } = await timed(`/drip?code=${code}&delay=0.1`);
    expect([status, body.length]).toEqual([code, 0]);
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(time).toBeGreaterThan(98);
    expect(time).toBeLessThan(1000);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'])('with method %s', async (method) => {
    const { body } = await timed('/drip?duration=0', { method });
    expect(body).toHaveLength(10);
  });

  test('HEAD waits for the first byte, not for the last', async () => {
    const { status, body, time } = await timed('/drip?delay=0.1&duration=5', { method: 'HEAD' });
    expect([status, body.length]).toEqual([200, 0]);
    expect(time).toBeGreaterThan(98);
    expect(time).toBeLessThan(1000);
  });
});

overBothProtocolsAtOnce(({ client }) => {
  test('--max-duration limits values and defaults', async () => {
    const start = performance.now();
    const { status, body } = await client().request('/drip?delay=0.1');
    expect([status, body.length]).toEqual([200, 10]);
    expect(performance.now() - start).toBeGreaterThan(1099);
    await expectRefused(client(), '/drip?duration=1.1', 'duration=1.1 exceeds the maximum of 1');
    await expectRefused(client(), '/drip?delay=1001ms', 'delay=1001ms exceeds the maximum of 1');
    await expectRefused(client(), '/delay/2', 'n=2 exceeds the maximum of 1');
  });
}, '--max-duration=1');
