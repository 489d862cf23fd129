import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { origin, tellOf } from './checks.mjs';

// What got makes of wirebin, over HTTP/2 where FOREIGN_HTTP says 2. FOREIGN_MODULES has the packages.

const require = createRequire(pathToFileURL(`${process.env.FOREIGN_MODULES}/`));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { got } = await load('got');
const { CookieJar } = await load('tough-cookie');
const http2 = process.env.FOREIGN_HTTP === '2';
const client = got.extend({
  prefixUrl: origin,
  http2,
  retry: { limit: 0 },
  timeout: { request: 30_000 },
});

const to = (status) => `redirect-to?url=/anything&status_code=${status}`;

await tellOf({
  async 'the protocol'() {
    assert.equal((await client('get').json()).http_version, http2 ? 'HTTP/2.0' : 'HTTP/1.1');
  },
  async 'arguments, forms, JSON'() {
    const options = { searchParams: { a: 'b' }, form: { c: 'd' } };
    const echo = await client.post('post', options).json();
    assert.deepEqual([echo.args, echo.form], [{ a: 'b' }, { c: 'd' }]);
    assert.deepEqual((await client.post('post', { json: [1] }).json()).json, [1]);
  },
  async 'content codings'() {
    for (const path of ['gzip', 'deflate', 'brotli', 'compressed']) {
      assert.equal((await client(path).json()).path, `/${path}`);
    }
  },
  async 'cookies over redirects'() {
    const cookieJar = new CookieJar();
    const kept = client.extend({ cookieJar });
    assert.deepEqual(await kept('cookies/set?a=b&c=d').json(), { cookies: { a: 'b', c: 'd' } });
    assert.deepEqual(await kept('cookies/delete?a').json(), { cookies: { c: 'd' } });
  },
  async redirects() {
    for (const kind of ['redirect', 'relative-redirect', 'absolute-redirect']) {
      const { redirectUrls, url } = await client(`${kind}/4`);
      assert.deepEqual([redirectUrls.length, url], [4, `${origin}/get`]);
    }
  },
  async 'redirects by method'() {
    const kept = await client.post(to(307), { body: 'content' }).json();
    const changed = await client.post(to(303), { body: 'content' }).json();
    assert.deepEqual([kept.method, kept.body, changed.method], ['POST', 'content', 'GET']);
  },
  async 'Basic credentials'() {
    const account = { username: 'u', password: 'p' };
    assert.equal((await client('basic-auth/u/p', account).json()).authenticated, true);
    await assert.rejects(client('basic-auth/u/p'), /401/);
  },
  async 'tries again'() {
    const retry = { limit: 2, calculateDelay: ({ computedValue }) => (computedValue ? 1 : 0) };
    const error = await client('status/503', { retry }).catch((thrown) => thrown);
    assert.deepEqual([error.response.statusCode, error.response.retryCount], [503, 2]);
  },
  async 'a time limit'() {
    await assert.rejects(client('delay/5', { timeout: { request: 200 } }), {
      name: 'TimeoutError',
    });
  },
  async streams() {
    const bytes = await client('bytes/300000?seed=1').buffer();
    const pieces = [];
    await pipeline(client.stream('stream-bytes/300000?seed=1'), async (stream) => {
      for await (const piece of stream) pieces.push(piece);
    });
    assert.ok(bytes.equals(Buffer.concat(pieces)));
    const content = Array.from({ length: 16 }, () => Buffer.alloc(65_536));
    const { bytes_received: received } = await client
      .put('upload', { body: Readable.from(content) })
      .json();
    assert.equal(received, 1_048_576);
  },
  async 'ranges and validators'() {
    const part = await client('range/26', { headers: { range: 'bytes=0-2' } });
    assert.deepEqual([part.statusCode, part.body], [206, 'abc']);
    const { statusCode } = await client('etag/v1', { headers: { 'if-none-match': '"v1"' } });
    assert.equal(statusCode, 304);
  },
});
