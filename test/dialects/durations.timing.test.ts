import { beforeAll, describe, expect, test } from 'vitest';
import { sharedPlace } from '../_everywhere.ts';
import { endsOthers, filled, targetsOf } from './_targets.ts';

// --max-duration limits every delay and duration in every dialect.

const MAX = 0.4;
/** In milliseconds: a delay and a duration of MAX, plus margin for a busy machine. */
const LONGEST = 2 * MAX * 1000 + 1500;

const DIALECTS = ['wirebin', 'httpbin', 'go-httpbin', 'gateway-api', 'postman-echo'] as const;
describe.concurrent.each(DIALECTS)('%s', (dialect) => {
  const settings = ['--dialect', dialect, '--max-duration', `${MAX}s`];
  const { client } = sharedPlace('h2c', ...settings);
  let targets: readonly string[];
  beforeAll(async () => {
    targets = (await targetsOf(client()))
      .filter(({ method, path }) => method === 'GET' && path !== '/delay/{n}' && !endsOthers(path))
      .map((target) => filled(target, encodeURIComponent));
  });

  /** @returns the status, and the time of the whole response in milliseconds */
  const timed = async (target: string): Promise<[status: number, time: number]> => {
    const start = performance.now();
    const { status } = await client().request(target);
    return [status, performance.now() - start];
  };

  test.each([
    'duration=3',
    'delay=3',
    'duration=3&delay=3',
    `duration=${MAX}&delay=${MAX}`,
    'duration=1e0&delay=+1',
    'duration=1000000000000',
    'duration=0.35&delay=0.35&jitter=1&count=3&numbytes=3&chunk_size=1',
    'duration=350ms&delay=350ms',
  ])('nothing with %s takes longer', async (query) => {
    const times = await Promise.all(targets.map((target) => timed(`${target}?${query}`)));
    const late = targets.filter((_, at) => (times[at]?.[1] ?? Infinity) > LONGEST);
    expect(late).toEqual([]);
  });

  test.each(['3', '0.41', '300', '99999999999', '1e9', '3s', '1m'])('/delay/%s', async (n) => {
    const [status, time] = await timed(`/delay/${n}`);
    // httpbin shortens delays, and gateway-api has no /delay.
    expect([200, 400]).toContain(status);
    if (dialect === 'wirebin' || dialect === 'go-httpbin') expect(status).toBe(400);
    expect(time).toBeLessThan(LONGEST);
  });
});
