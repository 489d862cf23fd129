import { describe, expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { inDialect } from '../_in.ts';

const client = inDialect('go-httpbin', '--max-body-size', '1024', '--max-duration', '1');

describe('/delay', () => {
  test.each([
    ['0', 0],
    ['100ms', 100],
    ['0.1', 100],
  ])('/delay/%s', async (n, milliseconds) => {
    const start = performance.now();
    const sent = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' };
    const received = await client().request(`/delay/${n}?a=1`, sent);
    expect(performance.now() - start).toBeGreaterThanOrEqual(milliseconds - 1);
    expect(received.headers['server-timing']).toBe(
      `initial_delay;dur=${milliseconds.toFixed(2)};desc="initial delay"`,
    );
    expect(parsed(received)).toMatchObject({ args: { a: ['1'] }, data: 'x', method: 'POST' });
  });

  test.each(['x', '-1', '1.5s', '-1ms'])('/delay/%s is 400', async (n) => {
    expect((await client().request(`/delay/${n}`)).status).toBe(400);
  });
});

describe('/drip', () => {
  test('has Content-Length and Server-Timing', async () => {
    const start = performance.now();
    const { headers, body } = await client().request('/drip?duration=0.1&delay=50ms&numbytes=4');
    expect(performance.now() - start).toBeGreaterThanOrEqual(149);
    expect(body.toString()).toBe('****');
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '4',
      'server-timing': [
        'total_duration;dur=150.00;desc="total request duration"',
        'initial_delay;dur=50.00;desc="initial delay"',
        'write_duration;dur=100.00;desc="duration of writes after initial delay"',
        'pause_per_write;dur=33.33;desc="computed pause between writes"',
      ].join(', '),
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  test.each([
    ['duration=0&delay=0', 200],
    ['duration=0&delay=0&numbytes=1024&code=404', 404],
    ['duration=0&delay=0&code=304', 304],
    ['duration=0&delay=0&numbytes=1025', 400],
    ['duration=0&delay=0&numbytes=0', 400],
    ['duration=0&delay=0&numbytes=0xff', 400],
    ['duration=750ms&delay=500ms', 400],
    ['duration=0&delay=0&code=600', 400],
  ])('?%s is %i', async (query, status) => {
    expect((await client().request(`/drip?${query}`)).status).toBe(status);
  });
});

describe('lines', () => {
  test.each([
    ['/stream/3', 3],
    ['/stream/0', 1],
    ['/stream/-100', 1],
    ['/stream/1000', 100],
    ['/jsonl', 10],
    ['/jsonl?count=2', 2],
    ['/jsonl?count=0', 1],
    ['/jsonl?count=999', 5],
    ['/jsonl?count=3&duration=20ms&jitter=0.5&delay=10ms', 3],
  ])('%s has %i lines', async (path, count) => {
    const { status, headers, body } = await client().request(path);
    expect(status).toBe(200);
    const type = path.startsWith('/stream') ? 'text/plain' : 'application/x-ndjson';
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
    const lines = body.toString().split('\n');
    expect(lines.pop()).toBe('');
    const views = lines.map((line) => JSON.parse(line) as object);
    expect(views).toHaveLength(count);
    const members = ['id', 'args', 'headers', 'origin', 'url'];
    for (const [id, view] of views.entries()) {
      expect(view).toMatchObject({ id, origin: '127.0.0.1' });
      expect(Object.keys(view)).toEqual(members);
    }
  });

  test.each([
    '/stream/x',
    '/jsonl?count=x',
    '/jsonl?duration=750ms&delay=0.5',
    '/jsonl?jitter=1.5',
    '/jsonl?delay=x',
  ])('%s is 400', async (path) => {
    expect((await client().request(path)).status).toBe(400);
  });
});

test('trailers are the query parameters', async () => {
  const received = await client().request('/trailers?test-a=1&Test-B=2', { method: 'POST' });
  expect(received.headers).toMatchObject({
    trailer: 'test-a, Test-B',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(received.trailers).toEqual({ 'test-a': '1', 'test-b': '2' });
  expect(parsed(received)).toMatchObject({ args: { 'Test-B': ['2'] }, method: 'POST' });
  const rejected = await client().request('/trailers?Authorization=Bearer');
  expect([rejected.status, rejected.headers['content-type']]).toEqual([
    400,
    'application/json; charset=utf-8',
  ]);
});

describe('/sse', () => {
  test('events, then Server-Timing as a trailer field', async () => {
    const { headers, body, trailers } = await client().request(
      '/sse?count=3&duration=30ms&delay=10ms',
    );
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(headers.trailer).toBe('Server-Timing');
    expect(trailers['server-timing']).toContain('initial_delay;dur=10.00;desc="initial delay"');
    expect(body.toString()).toMatch(/^(?:event: ping\ndata: \{"id":\d,"timestamp":\d+\}\n\n){3}$/);
  });

  test.each([
    'duration=0',
    'count=0',
    'count=19&duration=1ms',
    'count=x',
    'duration=750ms&delay=0.5',
  ])('?%s is 400', async (query) => {
    expect((await client().request(`/sse?${query}`)).status).toBe(400);
  });
});
