import { beforeAll, describe, expect, test } from 'vitest';
import type { Received } from './_client.ts';
import { overBothProtocols } from './_everywhere.ts';
import { startService, type Running } from './_service.ts';
import { ask, endpoints, fieldNames, quickTarget } from './_walk.ts';

const everyPath = endpoints.map(({ path }) => path);

/** The paths that a service lists, those left out that wait for a setting of their own. */
async function listed({ port }: Running): Promise<string[]> {
  const headers = { accept: 'application/json' };
  const { body } = await ask('http/1.1', port, '/', { headers });
  const index = JSON.parse(body.toString()) as { endpoints: { path: string }[] };
  return index.endpoints.map(({ path }) => path);
}

overBothProtocols(
  ({ client }) => {
    test('what is switched off is as unknown as what was never there', async () => {
      const unknown = await client().request('/nowhere');
      for (const endpoint of endpoints) {
        const target = quickTarget(endpoint);
        for (const method of ['GET', 'OPTIONS']) {
          const answer = await client().request(target, { method });
          expect([target, method, answer.status]).toEqual([target, method, 404]);
          expect(fieldNames(answer)).toEqual(fieldNames(unknown));
          const path = target.replace(/\?.*/, '');
          expect(answer.body.toString()).toBe(unknown.body.toString().replace('/nowhere', path));
        }
      }
    });
  },
  '--metrics-enabled',
  '--disable',
  everyPath.join(','),
);

describe('the rest stays', () => {
  /** Names of one's own pattern, of a first segment, and of one's own that has others below it. */
  const names = ['/delay/{n}', '/anything', '/cookies/set', '/cache', '/openapi.json'];
  const below = ['/anything/*path', '/cache/{n}', '/cookies/set/{name}/{value}'];
  const off = new Set([...names, ...below]);
  let running: Running;
  let left: string[];
  beforeAll(async () => {
    running = await startService('--disable', ` ${names.join(' , ')}`);
    const whole = await startService();
    const all = await listed(whole);
    left = all.filter((path) => !off.has(path));
    expect(left).toHaveLength(all.length - off.size);
  });

  const get = (target: string, headers = {}): Promise<Received> =>
    ask('http/1.1', running.port, target, { headers });

  test('and the index lists nothing else', async () => {
    expect(await listed(running)).toEqual(left);
    const { body } = await get('/', { accept: 'application/json' });
    expect(JSON.parse(body.toString())).not.toHaveProperty('openapi');
    const page = (await get('/', { accept: 'text/html' })).body.toString();
    const rows = [...page.matchAll(/<summary>.*?<code>(.*?)<\/code>/g)].map(([, path]) => path);
    expect(new Set(rows)).toEqual(new Set(left));
    expect(page).not.toContain('openapi');
  });

  test('and is answered', async () => {
    expect((await get('/cookies')).status).toBe(200);
    expect((await get('/cookies/delete?a')).status).toBe(302);
    for (const target of ['/delay/0', '/cookies/set?a=b', '/cache/1', '/anything/a/b']) {
      expect([target, (await get(target)).status]).toEqual([target, 404]);
    }
  });
});

test('the OpenAPI document leaves out what is switched off', async () => {
  const running = await startService('--disable', '/status,/drip');
  const { body } = await ask('h2c', running.port, '/openapi.json');
  const { paths } = JSON.parse(body.toString()) as { paths: Record<string, unknown> };
  const left = await listed(running);
  expect(left).not.toContain('/status/{code}');
  const written = left.map((path) => path.replace(/\*(\w+)/, '{$1}'));
  expect(Object.keys(paths)).toEqual(written);
});
