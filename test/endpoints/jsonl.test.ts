import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';
import { timedBy } from './_timed.ts';

overOneProtocol(({ client }) => {
  const timed = timedBy(client);

  test.each([
    ['', 10],
    ['?count=0', 0],
    ['?count=1&duration=300', 1],
    ['?count=10000', 10_000],
    ['?count=5&duration=10ns&jitter=1', 5],
  ])('%s: lines at once', async (query, count) => {
    const { status, headers, body } = await timed(`/jsonl${query}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-length']).toBeUndefined();
    const lines = body.toString().split('\n').slice(0, -1);
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(
      Array.from({ length: count }, (_, id) => id),
    );
  });

  test('a line is the record of the request', async () => {
    const { body } = await timed('/jsonl?count=1&x=%3Cb%3E', { headers: { 'x-y': '\u00fc' } });
    expect(JSON.parse(body.toString())).toEqual({
      id: 0,
      url: expect.stringMatching(/\/jsonl\?count=1&x=%3Cb%3E$/) as unknown,
      args: { count: '1', x: '<b>' },
      headers: expect.objectContaining({ 'x-y': '\u00fc' }) as unknown,
      origin: '127.0.0.1',
    });
  });

  test('HEAD waits for the delay only', async () => {
    const { status, body, time } = await timed('/jsonl?delay=0.1&duration=300', { method: 'HEAD' });
    expect([status, body.length]).toEqual([200, 0]);
    expect(time).toBeGreaterThan(98);
  });

  test('long fields do not make a long response', async () => {
    const long = { headers: { 'x-long': 'x'.repeat(20_000) } };
    const { status } = await timed('/jsonl?count=500', long);
    expect(status).toBe(200);
    const refused = await timed('/jsonl?count=600', long);
    expect(refused.status).toBe(400);
    expect(refused.body.toString()).toContain(
      'count=600 makes more than 10485760 bytes of this request',
    );
  });
});
