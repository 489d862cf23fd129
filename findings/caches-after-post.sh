#!/usr/bin/env bash
# Caches in clients: undici 8.13.1 (interceptors.cache), make-fetch-happen 16.0.1, got 16.1.0 and
# axios-cache-interceptor 1.12.3 of npm, CacheControl 0.14.4, requests-cache 1.3.3 and hishel 2.0.0 of PyPI. A response
# with `max-age=60` is fetched, changed by an unsafe request that is answered with 200, and fetched again. The last
# unsafe request is a POST to another path, whose response names the first one in Location.
#
# A guess: all fetch it again, since a cache must invalidate the target URI after such a response (RFC 9111 4.4), and
# some also for Location, where this is only allowed.
# Found: only undici and make-fetch-happen do after every method, and only undici for Location. CacheControl fetches it
# again after PUT, DELETE and PATCH, but not after POST, with which most forms and APIs change things. The other four
# always keep it. A client that changes a resource and reads it back sees the old state until that is stale.
#
# Fails if that changes. Needs Node 20 or later, npm and Python 3.10 or later with pip and venv, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --force "node@npm:node-$platform@24.21.0" undici@8.13.1 \
  make-fetch-happen@16.0.1 got@16.1.0 axios@1.21.1 axios-cache-interceptor@1.12.3 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet CacheControl==0.14.4 requests-cache==1.3.3 'hishel[httpx]==2.0.0' requests==2.34.2 \
  httpx==0.28.1
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import { setupCache } from 'axios-cache-interceptor';
import got from 'got';
import makeFetchHappen from 'make-fetch-happen';
import { Agent, interceptors, request } from 'undici';

const fetched = {};
const server = createServer((message, response) => {
  const { method, url } = message;
  message.resume();
  if (method === 'GET') fetched[url] = (fetched[url] ?? 0) + 1;
  const location = url.endsWith('/others') && { Location: url.replace('others', 'Location') };
  response.writeHead(200, method === 'GET' ? { 'Cache-Control': 'max-age=60' } : location || {});
  response.end(`${fetched[url] ?? ''}`);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const dispatcher = new Agent().compose(interceptors.cache());
const fetchHappen = makeFetchHappen.defaults({ cachePath: 'cache' });
const axiosClient = setupCache(axios.create());
const cache = new Map();
const clients = {
  undici: async (method, url) => (await request(url, { method, dispatcher })).body.text(),
  'make-fetch-happen': async (method, url) => (await fetchHappen(url, { method })).text(),
  got: (method, url) => got(url, { method, cache }).text(),
  'axios-cache-interceptor': (method, url) => axiosClient.request({ method, url }),
};
const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'Location'];
for (const [name, send] of Object.entries(clients)) {
  for (const method of methods) {
    const requests = [['GET', method], ['GET', method], method === 'Location' ? ['POST', 'others'] : [method, method]];
    for (const [name2, path] of [...requests, ['GET', method]]) {
      await send(name2, `${origin}/${name}/${path}`);
      await pause(50);
    }
  }
}
await once(spawn('python/bin/python', ['run.py', origin], { stdio: 'inherit' }), 'close');
for (const name of new Set(Object.keys(fetched).map((url) => url.split('/')[1]))) {
  const results = methods.map((method) => `${method} ${{ 1: 'kept', 2: 'again' }[fetched[`/${name}/${method}`]]}`);
  console.log(`${name}: ${results.join(', ')}`);
}
process.exit();
JS
cat >run.py <<'PY'
import sys

import requests
import requests_cache
from cachecontrol import CacheControl
from hishel.httpx import CacheClient

CLIENTS = {
    "CacheControl": CacheControl(requests.Session()),
    "requests-cache": requests_cache.CachedSession(backend="memory", cache_control=True),
    "hishel": CacheClient(),
}
for name, client in CLIENTS.items():
    for method in ("POST", "PUT", "DELETE", "PATCH", "Location"):
        unsafe = ("POST", "others") if method == "Location" else (method, method)
        for method2, path in (("GET", method), ("GET", method), unsafe, ("GET", method)):
            client.request(method2, f"{sys.argv[1]}/{name}/{path}").text
PY
node_modules/node/bin/node run.mjs 2>warnings.log | tee out.txt
diff out.txt - <<'TEXT'
undici: POST again, PUT again, DELETE again, PATCH again, Location again
make-fetch-happen: POST again, PUT again, DELETE again, PATCH again, Location kept
got: POST kept, PUT kept, DELETE kept, PATCH kept, Location kept
axios-cache-interceptor: POST kept, PUT kept, DELETE kept, PATCH kept, Location kept
CacheControl: POST kept, PUT again, DELETE again, PATCH again, Location kept
requests-cache: POST kept, PUT kept, DELETE kept, PATCH kept, Location kept
hishel: POST kept, PUT kept, DELETE kept, PATCH kept, Location kept
TEXT
