#!/usr/bin/env bash
# Clients for Node that repeat a request after Retry-After (RFC 9110 10.2.3): axios-retry 4.5.0 on axios 1.21.1,
# @azure/core-rest-pipeline 1.25.1, @slack/web-api 8.2.0, ky 2.1.0 and got 16.1.0, on Node 24.21.0, with 429 and a wait
# of one second, one day and 30 days, such as the rest of a monthly quota.
#
# A guess: they wait, or give up and report 429 at once.
# Found: with 30 days, ky waits and got gives up. The others, which wait for a day, repeat the request at once, or in
# web-api after its own pause of a second: they wait with setTimeout(), which turns more than 2^31-1 ms (24.8 days) into
# 1 ms. So a monthly limit gets the traffic that it was meant to end.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --force "node@npm:node-$platform@24.21.0" axios@1.21.1 \
  axios-retry@4.5.0 @azure/core-rest-pipeline@1.25.1 @slack/web-api@8.2.0 ky@2.1.0 got@16.1.0 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import * as azure from '@azure/core-rest-pipeline';
import { WebClient } from '@slack/web-api';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';

const axiosClient = axios.create();
axiosRetry(axiosClient, { retries: 1, retryCondition: () => true });
const pipeline = azure.createPipelineFromOptions({ retryOptions: { maxRetries: 1 } });
const azureClient = azure.createDefaultHttpClient();
const clients = {
  'axios-retry': (url) => axiosClient.get(url),
  'core-rest-pipeline': (url) =>
    pipeline.sendRequest(azureClient, azure.createPipelineRequest({ url, allowInsecureConnection: true })),
  'web-api': (slackApiUrl) =>
    new WebClient('token', { slackApiUrl, retryConfig: { retries: 1 }, logLevel: 'error' }).apiCall('api.test'),
  ky: (url) => ky.get(url, { retry: { limit: 1 } }),
  got: (url) => got(url, { retry: { limit: 1 } }),
};

/** What the client does within the seconds that follow a response with this time to wait. */
async function afterwards(client, wait) {
  const requests = [];
  const server = createServer((_request, response) => {
    requests.push(Date.now());
    if (requests.length === 1) response.writeHead(429, { 'Retry-After': wait });
    response.end('{"ok":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let failed = false;
  client(`http://127.0.0.1:${server.address().port}/`).catch(() => (failed = true));
  await pause(4000);
  if (requests.length === 1) return failed ? 'gives up' : 'waits';
  return requests[1] - requests[0] < 900 ? 'repeats at once' : 'repeats in seconds';
}

const results = Object.entries(clients).map(async ([name, client]) => {
  const outcomes = await Promise.all([1, 86_400, 2_592_000].map((wait) => afterwards(client, wait)));
  return `${name}: 1 s, ${outcomes[0]}; 1 day, ${outcomes[1]}; 30 days, ${outcomes[2]}`;
});
console.log((await Promise.all(results)).join('\n'));
process.exit();
JS
node_modules/node/bin/node run.mjs 2>warnings.log | tee out.txt
diff out.txt - <<'TEXT'
axios-retry: 1 s, repeats in seconds; 1 day, waits; 30 days, repeats at once
core-rest-pipeline: 1 s, repeats in seconds; 1 day, waits; 30 days, repeats at once
web-api: 1 s, repeats in seconds; 1 day, waits; 30 days, repeats in seconds
ky: 1 s, repeats in seconds; 1 day, waits; 30 days, waits
got: 1 s, repeats in seconds; 1 day, waits; 30 days, gives up
TEXT
