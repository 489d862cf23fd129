import assert from 'node:assert/strict';
import { origin, tellOf } from './checks.mjs';

// What Node's fetch (undici) makes of wirebin.

const get = (path, options) => fetch(origin + path, options);
const jsonOf = async (path, options) => (await get(path, options)).json();
const post = (path, body, more) => jsonOf(path, { method: 'POST', body, ...more });

await tellOf({
  async 'keeps its connection'() {
    const ids = new Set();
    for (let at = 0; at < 6; at += 1) ids.add((await jsonOf('/get')).conn.id);
    // It opens another when it is asked before it has done with the answer whose content has ended.
    assert.ok(ids.size <= 2);
  },
  async 'arguments, fields, JSON'() {
    const echo = await post('/post?a=1&a=2', '{"k":[1]}', { headers: { 'X-Some': 'café' } });
    assert.deepEqual([echo.args, echo.json], [{ a: ['1', '2'] }, { k: [1] }]);
  },
  async 'forms and files'() {
    const form = new FormData();
    form.set('a', 'b');
    form.set('f', new Blob(['bytes']), 'n.txt');
    const echo = await post('/post', form);
    assert.deepEqual([echo.form, echo.files], [{ a: 'b' }, { f: 'bytes' }]);
    assert.deepEqual((await post('/post', new URLSearchParams({ c: 'd e' }))).form, { c: 'd e' });
  },
  async 'content that streams'() {
    const pieces = Array.from({ length: 64 }, () => new Uint8Array(65_536));
    const { bytes_received: bytes } = await post('/upload', ReadableStream.from(pieces), {
      duplex: 'half',
    });
    assert.equal(bytes, 4_194_304);
  },
  async 'content codings'() {
    for (const path of ['/gzip', '/deflate', '/brotli', '/compressed']) {
      const response = await get(path);
      assert.ok(response.headers.get('content-encoding'));
      assert.equal((await response.json()).path, path);
    }
  },
  async redirects() {
    for (const kind of ['redirect', 'relative-redirect', 'absolute-redirect']) {
      const response = await get(`/${kind}/5`);
      assert.deepEqual([response.redirected, response.url], [true, `${origin}/get`]);
      await response.text();
    }
    const manual = await get('/redirect/2', { redirect: 'manual' });
    assert.deepEqual([manual.status, manual.headers.get('location')], [302, '/redirect/1']);
    await assert.rejects(get('/redirect/2', { redirect: 'error' }));
    await assert.rejects(get('/redirect-to?url=//evil.example').then(failing));
  },
  async 'redirects by method'() {
    for (const [status, method] of Object.entries({
      301: 'GET',
      303: 'GET',
      307: 'POST',
      308: 'POST',
    })) {
      const echo = await post(`/redirect-to?url=/anything&status_code=${status}`, 'content');
      assert.deepEqual([echo.method, echo.body], [method, method === 'POST' ? 'content' : '']);
    }
  },
  async cookies() {
    const { headers } = await get('/cookies/set?a=b&c=d&httponly', { redirect: 'manual' });
    assert.deepEqual(headers.getSetCookie(), ['a=b; Path=/; HttpOnly', 'c=d; Path=/; HttpOnly']);
    assert.deepEqual(await jsonOf('/cookies', { headers: { cookie: 'a=b; c=d' } }), {
      cookies: { a: 'b', c: 'd' },
    });
  },
  async 'lines as they come'() {
    const ids = [];
    let rest = '';
    for await (const text of (await get('/stream/50')).body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      ids.push(...lines.map((line) => JSON.parse(line).id));
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 50 }, (_, at) => at),
    );
  },
  async 'server-sent events'() {
    const response = await get('/sse?count=3&duration=0.2');
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal((await response.text()).match(/^event: ping$/gm).length, 3);
  },
  async 'a time limit'() {
    await assert.rejects(get('/delay/5', { signal: AbortSignal.timeout(100) }), {
      name: 'TimeoutError',
    });
  },
  async 'cancelling in the middle'() {
    const { body } = await get('/bytes/10485760');
    const reader = body.getReader();
    assert.ok((await reader.read()).value.length > 0);
    await reader.cancel();
    assert.equal((await get('/healthz')).status, 200);
  },
  async 'ranges and validators'() {
    const part = await get('/range/26', { headers: { range: 'bytes=-3' } });
    assert.deepEqual([part.status, await part.text()], [206, 'xyz']);
    const { headers } = await get('/etag/v1', { method: 'HEAD' });
    const again = await get('/etag/v1', { headers: { 'if-none-match': headers.get('etag') } });
    assert.equal(again.status, 304);
  },
  async credentials() {
    const basic = { headers: { authorization: `Basic ${btoa('u:p')}` } };
    assert.equal((await jsonOf('/basic-auth/u/p', basic)).authenticated, true);
    const { status, headers } = await get('/digest-auth/auth/u/p');
    assert.deepEqual([status, headers.get('www-authenticate').slice(0, 7)], [401, 'Digest ']);
  },
  async 'each method by its own endpoint'() {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const echo = await jsonOf(`/${method.toLowerCase()}`, { method, body: 'content' });
      assert.deepEqual([echo.method, echo.body], [method, 'content']);
    }
  },
});

async function failing(response) {
  if (!response.ok) throw new Error(await response.text());
}
