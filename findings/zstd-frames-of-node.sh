#!/usr/bin/env bash
# Node 24.21.0 and 26.10.0: content with Content-Encoding: zstd (RFC 8878) of two frames, or of a skippable frame and
# two frames, as in the output of pzstd, the seekable format and files that are appended to. It is sent at once, and
# with a pause after each frame, to fetch(), and to axios 1.21.1 and got 16.1.0.
#
# A guess: all of it is decoded, as zlib does with a gzip file of several members (RFC 1952 2.2).
# Found: Node 26 decodes all. On Node 24 it depends on how the bytes arrive: what comes in one piece ends after its
# first frame, and if that is skippable, there is no content at all, without an error. With the pause, all 13,000 bytes
# arrive. The cause is zlib, whose zstdDecompressSync() loses the second frame. So the same file is complete over a slow
# connection and cut off over a fast one.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --force "node24@npm:node-$platform@24.21.0" \
  "node26@npm:node-$platform@26.10.0" axios@1.21.1 got@16.1.0 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import zlib from 'node:zlib';
import axios from 'axios';
import got from 'got';

const texts = ['first\n'.repeat(1000), 'second\n'.repeat(1000)];
const frames = texts.map((text) => zlib.zstdCompressSync(text));
/** A skippable frame (RFC 8878 3.1.2) of four bytes. */
const skippable = Buffer.from('502a4d180400000000000000', 'hex');
const contents = {
  'one frame': [zlib.zstdCompressSync(texts.join(''))],
  'two frames': frames,
  'skippable frame and two': [skippable, ...frames],
};
const clients = {
  fetch: async (url) => (await (await fetch(url)).text()).length,
  axios: async (url) => (await axios.get(url)).data.length,
  got: async (url) => (await got(url)).body.length,
};
const server = createServer(async ({ url }, response) => {
  const [name, slow] = decodeURIComponent(url.slice(1)).split('?');
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'zstd' });
  if (!slow) return response.end(Buffer.concat(contents[name]));
  for (const frame of contents[name]) {
    response.write(frame);
    await pause(100);
  }
  response.end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

console.log(`Node ${process.versions.node}`);
console.log(`  zstdDecompressSync: ${zlib.zstdDecompressSync(Buffer.concat(frames)).length}`);
console.log(`  gunzipSync: ${zlib.gunzipSync(Buffer.concat(texts.map((text) => zlib.gzipSync(text)))).length}`);
for (const name of Object.keys(contents)) {
  const results = [];
  for (const [client, read] of Object.entries(clients)) {
    const url = `http://127.0.0.1:${server.address().port}/${encodeURIComponent(name)}`;
    results.push(`${client} ${await read(url)} and ${await read(`${url}?slow`)}`);
  }
  console.log(`  ${name}: ${results.join(', ')}`);
}
process.exit();
JS
for version in 24 26; do node_modules/node$version/bin/node run.mjs; done | tee out.txt
diff out.txt - <<'TEXT'
Node 24.21.0
  zstdDecompressSync: 6000
  gunzipSync: 13000
  one frame: fetch 13000 and 13000, axios 13000 and 13000, got 13000 and 13000
  two frames: fetch 6000 and 13000, axios 6000 and 13000, got 6000 and 13000
  skippable frame and two: fetch 0 and 13000, axios 0 and 13000, got 0 and 13000
Node 26.10.0
  zstdDecompressSync: 13000
  gunzipSync: 13000
  one frame: fetch 13000 and 13000, axios 13000 and 13000, got 13000 and 13000
  two frames: fetch 13000 and 13000, axios 13000 and 13000, got 13000 and 13000
  skippable frame and two: fetch 13000 and 13000, axios 13000 and 13000, got 13000 and 13000
TEXT
