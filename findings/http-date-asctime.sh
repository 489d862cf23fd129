#!/usr/bin/env bash
# http-cache-semantics 4.3.0, axios-retry 4.5.0 on axios 1.21.1, ky 1.14.3, undici 7.30.2 and got 16.1.0, in the time
# zones of Tokyo and Phoenix: Expires and Retry-After with a date in asctime() format, `Sun Nov  6 08:49:37 1994`.
# Recipients must accept it, and it is UTC (RFC 9110 5.6.7).
#
# A guess: clients wait the right time, as the format is one of the three that a parser of HTTP-dates has to know.
# Found: only got does. The others pass it to Date.parse(), which takes a date without a zone for local time: east of
# Greenwich, a response is stale at once, and a request is repeated without the wait that the server asked for; west of
# it, the response is fresh for hours too long, and the request is repeated too late. In UTC, as in most containers,
# nothing shows.
#
# Fails if that changes. Needs Node 20 or later and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 http-cache-semantics@4.3.0 axios@1.21.1 \
  axios-retry@4.5.0 ky@1.14.3 undici@7.30.2 got@16.1.0 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import CachePolicy from 'http-cache-semantics';
import ky from 'ky';
import { Agent, RetryAgent, request } from 'undici';

/** The date so many seconds from now, in the form of asctime(). */
function asctime(seconds) {
  const date = new Date(Date.now() + seconds * 1000);
  const [weekday, day, month, year, time] = date.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
}

const limit = 10_000;
const axiosClient = axios.create();
axiosRetry(axiosClient, { retries: 1 });
const dispatcher = new RetryAgent(new Agent(), { maxRetries: 1, maxTimeout: limit });
const clients = {
  'axios-retry': (url) => axiosClient.get(url),
  ky: (url) => ky.get(url, { retry: { limit: 1, maxRetryAfter: limit } }),
  undici: (url) => request(url, { dispatcher }),
  got: (url) => got(url, { retry: { limit: 1, maxRetryAfter: limit } }),
};

/** When the client repeats a request that is answered by 503 and three seconds to wait. */
async function repeated(client) {
  const requests = [];
  const server = createServer((_request, response) => {
    requests.push(Date.now());
    if (requests.length === 1) response.writeHead(503, { 'Retry-After': asctime(3) });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client(`http://127.0.0.1:${server.address().port}/`).catch(() => undefined);
  await pause(limit - 2000);
  if (requests.length === 1) return 'late';
  return requests[1] - requests[0] < 1500 ? 'early' : 'in time';
}

const headers = { date: new Date().toUTCString(), expires: asctime(3600) };
const policy = new CachePolicy({ url: '/', method: 'GET', headers: {} }, { status: 200, headers });
const hours = Math.round(policy.timeToLive() / 3_600_000);
const outcomes = await Promise.all(
  Object.entries(clients).map(async ([name, client]) => `${name} ${await repeated(client)}`),
);
console.log(`${process.env.TZ}: response fresh for ${hours} h of 1; retry by ${outcomes.join(', ')}`);
process.exit();
JS
for zone in UTC Asia/Tokyo America/Phoenix; do TZ=$zone node run.mjs; done | tee out.txt
diff out.txt - <<'TEXT'
UTC: response fresh for 1 h of 1; retry by axios-retry in time, ky in time, undici in time, got in time
Asia/Tokyo: response fresh for 0 h of 1; retry by axios-retry early, ky early, undici early, got in time
America/Phoenix: response fresh for 8 h of 1; retry by axios-retry late, ky late, undici late, got in time
TEXT
