#!/usr/bin/env bash
# Servers of static files for Node, sirv 3.0.2, serve-handler 6.1.8, serve-static 2.2.1 and @fastify/static 10.1.11 (on
# fastify 5.12.8): Range, If-Range and If-None-Match (RFC 9110 13 and 14) for a file of ten bytes.
#
# A guess: one or two do not support a list in If-None-Match; all get ranges right.
# Found: sirv and serve-handler do not support the list, but no server gets all ranges right. sirv sends the first four
# bytes for the last three, and takes any unit for bytes. The others answer 416 to the last hundred bytes of ten, which
# are all ten (14.1.2). sirv and serve-handler ignore If-Range: a download that is resumed after the file has changed
# mixes two files.
#
# Fails if that changes. Needs Node 20 or later and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 sirv@3.0.2 serve-handler@6.1.8 serve-static@2.2.1 \
  fastify@5.12.8 @fastify/static@10.1.11 >>npm.log 2>&1
mkdir files
printf 0123456789 >files/file.txt
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import serveHandler from 'serve-handler';
import serveStatic from 'serve-static';
import sirv from 'sirv';

const bySirv = sirv('files', { etag: true });
const byServeStatic = serveStatic('files', { fallthrough: false });
const fastify = Fastify();
await fastify.register(fastifyStatic, { root: `${process.cwd()}/files` });
await fastify.ready();
const handlers = {
  sirv: (incoming, response) => bySirv(incoming, response),
  'serve-handler': (incoming, response) => serveHandler(incoming, response, { public: 'files', etag: true }),
  'serve-static': (incoming, response) =>
    byServeStatic(incoming, response, ({ status }) => response.writeHead(status).end()),
  '@fastify/static': (incoming, response) => fastify.routing(incoming, response),
};
for (const [name, handler] of Object.entries(handlers)) {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const get = async (headers) => {
    const sent = request({ port: server.address().port, path: '/file.txt', headers }).end();
    const [response] = await once(sent, 'response');
    const { statusCode: status, headers: { etag } } = response;
    return { etag, outcome: `${status} ${status < 300 ? await text(response) : ''}`.trim() };
  };
  const { etag } = await get({});
  const requests = {
    'first 3': { range: 'bytes=0-2' },
    'last 3': { range: 'bytes=-3' },
    'last 100': { range: 'bytes=-100' },
    'other unit': { range: 'lines=0-2' },
    'If-Range of another': { range: 'bytes=0-2', 'if-range': '"other"' },
    'If-None-Match': { 'if-none-match': etag },
    'a list': { 'if-none-match': `"other", ${etag}` },
  };
  const outcomes = [];
  for (const [title, headers] of Object.entries(requests)) {
    outcomes.push(`${title}: ${(await get(headers)).outcome}`);
  }
  console.log(`${name}; ${outcomes.join('; ')}`);
}
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
sirv; first 3: 206 012; last 3: 206 0123; last 100: 206 0123456789; other unit: 206 012; If-Range of another: 206 012; If-None-Match: 304; a list: 200 0123456789
serve-handler; first 3: 206 012; last 3: 206 789; last 100: 416; other unit: 416; If-Range of another: 206 012; If-None-Match: 304; a list: 200 0123456789
serve-static; first 3: 206 012; last 3: 206 789; last 100: 416; other unit: 200 0123456789; If-Range of another: 200 0123456789; If-None-Match: 304; a list: 304
@fastify/static; first 3: 206 012; last 3: 206 789; last 100: 416; other unit: 200 0123456789; If-Range of another: 200 0123456789; If-None-Match: 304; a list: 304
TEXT
