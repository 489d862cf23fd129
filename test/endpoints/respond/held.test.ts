import { expect, onTestFinished, test } from 'vitest';
import { openClient, type Sent } from '../../_client.ts';
import { startService } from '../../_service.ts';

const LINES = Array.from({ length: 900 }, (_, at) => `a:${at}`);
const WAITING = 'delay=60';
const QUERY = [WAITING, ...LINES.map((line) => `header=${line}`)].join('&');
const SHARES = `status=${LINES.map(() => '200:0.1').join()}`;
const DESCRIPTION = { delay: '60', header: LINES };

/** The same description in each of the places where one may be. */
const places: readonly (readonly [place: string, target: string, sent: Sent])[] = [
  ['the query', `/respond?${QUERY}`, {}],
  ['the field', '/get', { headers: { 'x-wirebin-respond': QUERY } }],
  ['content', '/respond', { method: 'POST', body: JSON.stringify(DESCRIPTION) }],
  ['a sequence', '/respond/k', { method: 'POST', body: JSON.stringify({ then: DESCRIPTION }) }],
  ['shares', `/respond?${WAITING}&${SHARES}`, {}],
];

test.each(places)('what waiting responses hold of %s is counted', async (_, target, sent) => {
  const { port } = await startService('--max-content-memory', '8');
  const client = openClient('h2c', port);
  onTestFinished(() => client.close());
  // Each holds 126 or 252 KB.
  const responses = Array.from({ length: 70 }, () => client.request(target, sent));
  const first = await Promise.race(responses);
  expect(first.status).toBe(503);
  expect(first.body.toString()).toContain('the memory for large header sections');
  client.leave();
  await Promise.allSettled(responses);
  const later = openClient('h2c', port);
  onTestFinished(() => later.close());
  // 7.6 MB, all of which have to be free.
  const statuses = async () => {
    const soon = `/respond?delay=50ms&${SHARES}`;
    const received = await Promise.all(Array.from({ length: 60 }, () => later.request(soon)));
    return new Set(received.map(({ status }) => status));
  };
  await expect.poll(statuses).toEqual(new Set([200]));
});

test('a rule is held once, however many requests wait for its response', async () => {
  const shares = LINES.map(() => '200:0.1').join();
  const rule = `GET /waiting: delay=50ms&status=${shares}`;
  const { port } = await startService('--max-content-memory', '8', '--respond', rule);
  const client = openClient('h2c', port);
  onTestFinished(() => client.close());
  const responses = await Promise.all(Array.from({ length: 70 }, () => client.request('/waiting')));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
});
