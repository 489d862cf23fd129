import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { millisecondsSince, toMicrosecond, wallClock } from '../../src/server/timing.ts';
import type { Received } from '../_client.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

const NUMBER = String.raw`\d+(?:\.\d{1,3})?`;
const FIELD = new RegExp(
  `^head;desc="([^"]*Z)"(?:, content;dur=(${NUMBER}))?, loop;dur=(${NUMBER}), out;dur=(${NUMBER})$`,
);

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function timesOf({ headers }: Received) {
  const field = String(headers['server-timing']);
  const [, head = '', content, loop, out] = FIELD.exec(field) ?? [];
  expect(head, field).not.toBe('');
  return { head: Date.parse(head), content: number(content), loop: number(loop), out: number(out) };
}

test('a process that is held up while it reads the clocks tells no time before the request', () => {
  const midnight = Date.UTC(2026, 0, 1);
  let elapsed = 0;
  // Each look at a clock takes 3 ms.
  const look = () => (elapsed += 3) - 3;
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => look()),
    vi.spyOn(Date, 'now').mockImplementation(() => midnight + look()),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  expect(Date.parse(wallClock(0))).toBeGreaterThanOrEqual(midnight);
});

test('durations have three decimals at the most', () => {
  expect(toMicrosecond(4.874607000005199)).toBe(4.875);
  expect(toMicrosecond(0)).toBe(0);
  for (let at = 0; at < 10_000; at++) {
    expect(String(toMicrosecond(Math.random() * 1e9))).toMatch(/^\d+(?:\.\d{1,3})?$/);
  }
  expect(String(millisecondsSince(-1 / 3))).toMatch(/^\d+(?:\.\d{1,3})?$/);
});

overBothProtocols(({ client }) => {
  test('?server-timing on any endpoint', async () => {
    for (const target of ['/healthz', '/get', '/status/404', '/delay/0', '/bytes/3?seed=1']) {
      const [clock, start] = [Date.now(), performance.now()];
      const query = target.includes('?') ? '&server-timing' : '?server-timing';
      // oxlint-disable-next-line no-await-in-loop
      const times = timesOf(await client().request(`${target}${query}`));
      expect(times.head).toBeGreaterThanOrEqual(clock - 1);
      expect(times.head).toBeLessThanOrEqual(Date.now());
      expect(times.content).toBeUndefined();
      expect(times.loop).toBeGreaterThan(0);
      expect(times.out).toBeGreaterThanOrEqual(times.loop ?? Infinity);
      expect(times.out).toBeLessThan(performance.now() - start);
    }
  });

  test('the delay of the endpoint is in it', async () => {
    const times = timesOf(await client().request('/delay/0.05?server-timing=1'));
    expect(times.out).toBeGreaterThan(49);
  });

  test('the end of the content', async () => {
    const sent = { method: 'POST', body: 'x'.repeat(50_000) };
    const times = timesOf(await client().request('/post?server-timing=true', sent));
    expect(times.content).toBeGreaterThan(0);
    expect(times.out).toBeGreaterThan(times.content ?? Infinity);
  });

  test('an error has it too', async () => {
    expect(timesOf(await client().request('/nowhere?server-timing')).out).toBeGreaterThan(0);
  });
});

overBothProtocols(({ client }) => {
  test('endpoints do not see the parameter', async () => {
    const echo = await client().request('/get?a=1&server-timing&b=2');
    expect(JSON.parse(echo.body.toString())).toMatchObject({
      query: 'a=1&server-timing&b=2',
      args: { a: '1', b: '2' },
    });
    const fields = await client().request('/response-headers?server-timing&x-a=1');
    expect(JSON.parse(fields.body.toString())).toEqual({ 'x-a': '1' });
    expect(timesOf(fields).out).toBeGreaterThan(0);
  });

  test.each([
    '',
    '?server-timing=0',
    '?server-timing=false',
    '?x-server-timing',
    '?a=server-timing',
  ])('none with %j', async (query) => {
    const { headers } = await client().request(`/healthz${query}`);
    expect(headers['server-timing']).toBeUndefined();
  });

  test('together with digests and ?dialect=', async () => {
    const answer = await client().request('/json?server-timing', {
      headers: { 'want-repr-digest': 'sha-256=1' },
    });
    expect(timesOf(answer).out).toBeGreaterThan(0);
    expect(answer.headers['repr-digest']).toMatch(/^sha-256=:/);
    const other = await client().request('/json?server-timing&dialect=httpbin');
    expect(other.headers['server-timing']).toBeUndefined();
  });

  test('the parameter is a flag', async () => {
    const detail = 'server-timing=x is not one of true, 1, false, 0 or empty';
    await expectRefused(client(), '/healthz?server-timing=x', detail);
    await expectRefused(
      client(),
      '/healthz?server-timing&server-timing',
      'server-timing is given more than once',
    );
  });
});

describe('--server-timing', () => {
  overBothProtocols(({ client }) => {
    test('endpoints do not see the parameter, which asks for nothing more', async () => {
      const { body } = await client().request('/response-headers?server-timing&x-a=1');
      expect(JSON.parse(body.toString())).toEqual({ 'x-a': '1' });
    });

    test('every response has it, pipelined or not', async () => {
      const answers = await Promise.all(
        ['/healthz', '/get', '/nowhere', '/bytes/100000'].map((target) => client().request(target)),
      );
      for (const answer of answers) expect(timesOf(answer).out).toBeGreaterThan(0);
    });
  }, '--server-timing');
});
