import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createService, type Service } from '../../src/index.ts';

let service: Service;
beforeAll(async () => {
  service = await createService({ pathPrefix: '/a%20b/c' });
});
afterAll(() => service.close());

/** Requests a path as it is. */
async function get(path: string, method = 'GET') {
  const sent = request({ host: '127.0.0.1', port: service.port, path, method });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode, headers } = response;
  return { status: statusCode, location: headers.location, content: await text(response) };
}

test('endpoints are below the prefix, and the echo shows the path as it was sent', async () => {
  const { status, content } = await get('/a%20b/c/anything/x%2Fy?q=1');
  expect(status).toBe(200);
  expect(JSON.parse(content)).toMatchObject({ path: '/a%20b/c/anything/x%2Fy', query: 'q=1' });
  expect((await get('/a%20b/c')).status).toBe(200);
  expect((await get('/a%20b/c/')).status).toBe(200);
});

test.each(['/anything', '/', '/a%20b/cd/get', '/a%20b', '/a%2520b/c/get', '//a%20b/c/get'])(
  '%s is not below it',
  async (path) => {
    const { status, content } = await get(path);
    expect(status).toBe(404);
    expect(content).toContain('is not below /a%20b/c, which is --path-prefix');
  },
);

test('OPTIONS * is for the whole service', async () => {
  expect((await get('*', 'OPTIONS')).status).toBe(204);
});

test.each([
  ['/redirect/2', '/a%20b/c/redirect/1'],
  ['/relative-redirect/1', '/a%20b/c/get'],
  ['/status/302', '/a%20b/c/redirect/1'],
  ['/cookies/set?a=b', '/a%20b/c/cookies'],
  ['/docs', 'docs/'],
  // What the client has asked for.
  ['/redirect-to?url=/get', '/get'],
  ['/response-headers?Location=/get', '/get'],
  ['/respond?status=302&header=Location:/get', '/get'],
])('%s: Location is %s', async (path, location) => {
  expect((await get(`/a%20b/c${path}`)).location).toBe(location);
});

test('an absolute Location leads below the prefix', async () => {
  const { location } = await get('/a%20b/c/absolute-redirect/1');
  expect(location).toBe(`http://127.0.0.1:${service.port}/a%20b/c/get`);
});

test('/openapi.json names the prefix', async () => {
  const { content } = await get('/a%20b/c/openapi.json');
  const absolute = `http://127.0.0.1:${service.port}/a%20b/c`;
  const { servers } = JSON.parse(content) as { servers: { url: string }[] };
  expect(servers.map(({ url }) => url)).toEqual([absolute, '/a%20b/c']);
});
