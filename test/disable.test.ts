import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Received } from './_client.ts';
import { everywhere } from './_everywhere.ts';
import { startService, type Running } from './_service.ts';
import { ask, endpoints, fieldNames, quickTarget } from './_walk.ts';

const everyPath = endpoints.map(({ path }) => path);
/** Those that are off until a setting turns them on. */
const AWAITED = ['/metrics', '/env', '/hostname'];

everywhere(
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
  const off = new Set([...names, ...below, ...AWAITED]);
  const left = everyPath.filter((path) => !off.has(path));
  let running: Running;
  beforeAll(async () => {
    running = await startService('--disable', ` ${names.join(' , ')}`);
  });
  afterAll(() => running.service.close());
  const get = (target: string, headers = {}): Promise<Received> =>
    ask('http/1.1', running.port, target, { headers });

  test('and is all that the index tells of', async () => {
    const { body } = await get('/', { accept: 'application/json' });
    const index = JSON.parse(body.toString()) as { endpoints: { path: string }[] };
    expect(index.endpoints.map(({ path }) => path)).toEqual(left);
    expect(index).not.toHaveProperty('openapi');
    const page = (await get('/')).body.toString();
    const listed = [...page.matchAll(/<li>.*?<code>(.*?)<\/code>/g)].map(([, path]) => path);
    expect(new Set(listed)).toEqual(new Set(left));
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
  const { service, port } = await startService('--disable', '/status,/drip');
  const { body } = await ask('h2c', port, '/openapi.json');
  const { paths } = JSON.parse(body.toString()) as { paths: Record<string, unknown> };
  const left = everyPath.filter((path) => !/^\/(?:status|drip|anything\/)/.test(path));
  const there = left.filter((path) => !AWAITED.includes(path));
  expect(Object.keys(paths).filter((path) => !path.startsWith('/anything/'))).toEqual(there);
  service.close();
});
