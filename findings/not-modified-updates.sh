#!/usr/bin/env bash
# Caches in clients for Node 24.21.0 that revalidate: undici 8.13.1 (interceptors.cache), make-fetch-happen 16.0.1,
# axios-cache-interceptor 1.12.3 (on axios 1.21.1) and got 16.1.0. Each fetches the same URI six times. With "update",
# the response is stale from the start, and 304 (Not Modified) makes it fresh for 60 s and changes a Link; with
# "no-cache", both have `Cache-Control: no-cache`.
#
# A guess: the cache replaces its fields by those of the 304 (RFC 9111 4.3.4): one validation with "update", and then
# responses with the new Link; with "no-cache" one full response and five validations.
# Found: only got does both. undici deletes its response when it is validated, so that every second request fetches the
# whole content again, and never takes a field from the 304. axios-cache-interceptor shows the new Link once, and then
# the old one again; with no-cache it keeps nothing. make-fetch-happen returns the old Link with the validation, and the
# new one from then on.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --force "node@npm:node-$platform@24.21.0" undici@8.13.1 \
  make-fetch-happen@16.0.1 got@16.1.0 axios@1.21.1 axios-cache-interceptor@1.12.3 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import { setupCache } from 'axios-cache-interceptor';
import got from 'got';
import makeFetchHappen from 'make-fetch-happen';
import { Agent, interceptors, request } from 'undici';

let statuses;
const server = createServer(({ headers, url }, response) => {
  const status = headers['if-none-match'] ? 304 : 200;
  const directive = url.endsWith('no-cache') ? 'no-cache' : `max-age=${status === 304 ? 60 : 0}`;
  statuses.push(status);
  response.writeHead(status, { ETag: '"tag"', 'Cache-Control': directive, Link: status === 304 ? '</new>' : '</old>' });
  response.end(status === 304 ? undefined : 'text');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const dispatcher = new Agent().compose(interceptors.cache());
const fetchHappen = makeFetchHappen.defaults({ cachePath: 'cache' });
const axiosClient = setupCache(axios.create());
const cache = new Map();
const clients = {
  async undici(url) {
    const { headers, body } = await request(url, { dispatcher });
    await body.text();
    return headers.link;
  },
  async 'make-fetch-happen'(url) {
    const response = await fetchHappen(url);
    await response.text();
    return response.headers.get('link');
  },
  'axios-cache-interceptor': async (url) => (await axiosClient.get(url)).headers.link,
  got: async (url) => (await got(url, { cache })).headers.link,
};
for (const path of ['update', 'no-cache']) {
  for (const [name, get] of Object.entries(clients)) {
    statuses = [];
    const links = [];
    for (let count = 0; count < 6; count++) {
      links.push((await get(`http://127.0.0.1:${server.address().port}/${name}/${path}`)).slice(2, -1));
      await pause(50);
    }
    console.log(`${path}, ${name}: server ${statuses.join(' ')}, Link ${links.join(' ')}`);
  }
}
process.exit();
JS
node_modules/node/bin/node run.mjs 2>warnings.log | tee out.txt
diff out.txt - <<'TEXT'
update, undici: server 200 304 200 304 200 304, Link old old old old old old
update, make-fetch-happen: server 200 304, Link old old new new new new
update, axios-cache-interceptor: server 200 304, Link old new old old old old
update, got: server 200 304, Link old new new new new new
no-cache, undici: server 200 304 200 304 200 304, Link old old old old old old
no-cache, make-fetch-happen: server 200 304 304 304 304 304, Link old old new new new new
no-cache, axios-cache-interceptor: server 200 200 200 200 200 200, Link old old old old old old
no-cache, got: server 200 304 304 304 304 304, Link old new new new new new
TEXT
