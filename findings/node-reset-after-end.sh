#!/usr/bin/env bash
# Node 20.20.2, 24.21.0 and 26.10.0: socket.resetAndDestroy() right after socket.end(), with nothing left to send.
#
# A guess: RST in place of FIN, and `close`, as the documentation says: it closes the connection by sending an RST
# packet and destroys the stream.
# Found: 'error' with EINVAL of the system call reset, and no 'close'. The socket says that it is destroyed, but its
# descriptor stays open, and keeps the process. With 8 MB left to send it closes. (libuv refuses while a shutdown is on
# its way; the handle is then not closed.) A server that waits for `close`, or counts connections by it, waits for
# good.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
for version in 20.20.2 24.21.0 26.10.0; do
  npm install --no-audit --no-fund --ignore-scripts "node-$version@npm:node-$platform@$version" >>npm.log 2>&1
done
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const unsent = Number(process.argv[2]);
const events = [];
const server = createServer((socket) => {
  socket.on('error', ({ code, syscall }) => events.push(`error ${code} ${syscall}`));
  socket.on('close', () => events.push('close'));
  if (unsent > 0) socket.write(Buffer.alloc(unsent));
  socket.end();
  socket.resetAndDestroy();
  events.push(`destroyed: ${socket.destroyed}`);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const client = connect({ port: server.address().port, allowHalfOpen: true }).on('error', () => undefined);
await pause(500);
client.destroy();
server.close();
await pause(500);
const open = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
console.log(`${process.version} ${unsent} bytes: ${events.join(', ')}; sockets open: ${open}`);
process.exit();
JS
for version in 20.20.2 24.21.0 26.10.0; do
  for unsent in 0 8000000; do "node_modules/node-$version/bin/node" run.mjs $unsent; done
done | tee out.txt
for version in 20.20.2 24.21.0 26.10.0; do
  grep -qx "v$version 0 bytes: error EINVAL reset, destroyed: true; sockets open: 1" out.txt
  grep -qx "v$version 8000000 bytes: destroyed: true, close; sockets open: 0" out.txt
done
