import { expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { inDialect } from '../_in.ts';

const client = inDialect('httpbin', '--max-duration', '1');

test('/delay is an echo without json', async () => {
  const start = performance.now();
  const received = await client().request('/delay/0.1?a=1', { method: 'POST', body: '{}' });
  expect(performance.now() - start).toBeGreaterThanOrEqual(99);
  const members = ['args', 'data', 'files', 'form', 'headers', 'origin', 'url'];
  expect(Object.keys(parsed(received))).toEqual(members);
  expect(parsed(received)).toMatchObject({ args: { a: '1' }, data: '{}' });
  expect((await client().request('/delay/x')).status).toBe(400);
});

test('a long /delay is shortened, not rejected', async () => {
  const start = performance.now();
  expect((await client().request('/delay/99999')).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(5000);
});

test('/drip has Content-Length', async () => {
  const start = performance.now();
  const { status, headers, body } = await client().request(
    '/drip?numbytes=4&duration=0.2&delay=0.05&code=500',
  );
  expect(performance.now() - start).toBeGreaterThanOrEqual(199);
  expect([status, headers['content-length'], body.toString()]).toEqual([500, '4', '****']);
  for (const query of ['numbytes=0', 'numbytes=-1', 'duration=x', 'duration=2']) {
    expect((await client().request(`/drip?${query}`)).status).toBe(400);
  }
  expect((await client().request('/drip?code=304&duration=0')).status).toBe(304);
});

test.each([
  [3, 3],
  [0, 0],
  [1000, 100],
])('/stream/%i has %i lines', async (n, count) => {
  const { headers, body } = await client().request(`/stream/${n}?a=%C3%BC`);
  expect(headers['content-type']).toBe('application/json');
  const lines = body.toString().split('\n');
  expect(lines.pop()).toBe('');
  expect(lines).toHaveLength(count);
  for (const [id, line] of lines.entries()) {
    expect(JSON.parse(line)).toMatchObject({ id, args: { a: 'ü' }, origin: '127.0.0.1' });
    expect(line).toContain('\\u00fc');
  }
});
