#!/usr/bin/env bash
# Node 20.20.2, 24.21.0 and 26.10.0: a TLS session from tls.connect({ socket }), offered by tls.connect({ host, port })
# to the same server. Neither connection sends SNI, since the host is an address.
#
# A guess: it is resumed, as a session is bound to the server by nothing but SNI and ALPN (RFC 9846 4.7.1).
# Found: Node 20 resumes it. Node 24 and 26 do not, and isSessionReused() is false without an error: their sessions are
# bound to the option `host`, and a connection on a socket has none. With the same `host` beside `socket` it is
# resumed.
#
# Fails if that changes. Needs Node 20 or later, npm and openssl, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
for version in 20.20.2 24.21.0 26.10.0; do
  npm install --no-audit --no-fund --ignore-scripts "node-$version@npm:node-$platform@$version" >>npm.log 2>&1
done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem \
  -subj /CN=localhost -days 2 2>>npm.log
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect, createServer } from 'node:tls';

const server = createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') }, (socket) => {
  socket.on('error', () => undefined);
  socket.write('hello');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const host = '127.0.0.1';

async function sessionOn(options) {
  const socket = connectTcp(port, host);
  await once(socket, 'connect');
  const tls = connect({ socket, rejectUnauthorized: false, ...options });
  tls.resume();
  const [session] = await once(tls, 'session');
  return session;
}

async function isResumed(session) {
  const tls = connect({ host, port, session, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  return tls.isSessionReused();
}

const without = await isResumed(await sessionOn({}));
const withHost = await isResumed(await sessionOn({ host }));
console.log(`${process.version} without host: ${without}, with host: ${withHost}`);
process.exit();
JS
for version in 20.20.2 24.21.0 26.10.0; do "node_modules/node-$version/bin/node" run.mjs; done | tee out.txt
grep -qx 'v20.20.2 without host: true, with host: true' out.txt
grep -qx 'v24.21.0 without host: false, with host: true' out.txt
grep -qx 'v26.10.0 without host: false, with host: true' out.txt
