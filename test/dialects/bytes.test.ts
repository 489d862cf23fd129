import { describe, expect, test } from 'vitest';
import { inDialect } from './_in.ts';

describe.each([
  ['httpbin', '0', 'c5d71484f8cf9bf4b76f', 102_400],
  ['go-httpbin', '1234567890', 'bfcd2afa15a2b372c707', 2_097_152],
] as const)('%s', (name, seed, bytes, most) => {
  const client = inDialect(name);

  test.each(['bytes', 'stream-bytes'])('/%s', async (kind) => {
    const received = await client().request(`/${kind}/10?seed=${seed}`);
    expect(received.body.toString('hex')).toBe(bytes);
    expect(received.headers['content-type']).toBe('application/octet-stream');
    const length = received.headers['content-length'];
    expect(length).toBe(kind === 'bytes' ? '10' : undefined);
    const whole = await client().request(`/${kind}/${most}?seed=-5`);
    const again = await client().request(`/${kind}/${most}?seed=-5`);
    expect(whole.body).toHaveLength(most);
    expect(whole.body.equals(again.body)).toBe(true);
    const fresh = await client().request(`/${kind}/1024`);
    expect(fresh.body).toHaveLength(1024);
    expect(fresh.body.equals((await client().request(`/${kind}/1024`)).body)).toBe(false);
    expect((await client().request(`/${kind}/0`)).body).toHaveLength(0);
  });

  test.each([
    '/bytes/x',
    '/bytes/1?seed=x',
    '/bytes/1?seed=3.14',
    '/bytes/1?seed=12345678901234567890',
    `/bytes/1?seed=${'9'.repeat(1000)}`,
    '/stream-bytes/1?chunk_size=x',
  ])('%.60s is 400', async (path) => {
    expect((await client().request(path)).status).toBe(400);
  });

  test('/range', async () => {
    const headers = { range: 'bytes=10-24' };
    const received = await client().request('/range/100?duration=0.05', { headers });
    expect(received.status).toBe(206);
    expect(received.headers).toMatchObject({ etag: '"range100"', 'content-length': '15' });
    expect(received.body.toString()).toBe('klmnopqrstuvwxy');
  });
});

describe('go-httpbin', () => {
  const client = inDialect('go-httpbin');

  test.each([
    ['/stream-bytes/256?chunk_size=7', 200],
    ['/stream-bytes/256?chunk_size=-10', 200],
    ['/stream-bytes/256?chunk_size=512', 200],
    // A chunk costs about as much as a small response.
    ['/stream-bytes/2000000?chunk_size=1', 400],
    ['/bytes/-1', 400],
    ['/bytes/2097153', 400],
    ['/bytes/%2B1', 200],
  ])('%s is %i', async (path, status) => {
    expect((await client().request(path)).status).toBe(status);
  });
});

describe('httpbin', () => {
  const client = inDialect('httpbin');

  test('clamps n and chunk_size as the original does', async () => {
    expect((await client().request('/bytes/999999')).body).toHaveLength(100 * 1024);
  });

  test.each([
    [0, 404],
    [1, 200],
    [102_400, 200],
    [102_401, 404],
  ])('/range/%i is %i', async (n, status) => {
    expect((await client().request(`/range/${n}`)).status).toBe(status);
  });
});
