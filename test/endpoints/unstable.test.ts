import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

function failures(statuses: number[]): number {
  return statuses.filter((status) => status === 500).length;
}

overOneProtocol(({ client }) => {
  const statusOf = async (query: string, method = 'GET') => {
    const { status, headers, body } = await client().request(`/unstable${query}`, { method });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect([headers['content-length'], body.length]).toEqual(['0', 0]);
    return status;
  };
  const many = (query: string) => Promise.all(Array.from({ length: 200 }, () => statusOf(query)));

  test('half of them fail by default', async () => {
    const statuses = await many('');
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
    // Fails by chance less than once in a billion runs.
    expect(failures(statuses)).toBeGreaterThan(55);
    expect(failures(statuses)).toBeLessThan(145);
  });

  test.each([
    ['0', 0],
    ['0.0', 0],
    ['1', 200],
  ])('a rate of %s fails %d times in 200', async (rate, expected) => {
    expect(failures(await many(`?failure_rate=${rate}`))).toBe(expected);
  });

  test('with a seed it is reproducible and follows from the bytes of the seed', async () => {
    const statuses = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const { body } = await client().request(`/bytes/6?seed=${seed}`);
      const expected = body.readUIntBE(0, 6) / 2 ** 48 < 0.25 ? 500 : 200;
      statuses.add(expected);
      expect(await statusOf(`?failure_rate=0.25&seed=${seed}`)).toBe(expected);
      expect(await statusOf(`?seed=${seed}&failure_rate=0.25`)).toBe(expected);
    }
    expect(statuses).toEqual(new Set([200, 500]));
  });

  const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'];
  test.each(METHODS)('with method %s', async (method) => {
    expect(await statusOf('?failure_rate=1', method)).toBe(500);
  });
});
