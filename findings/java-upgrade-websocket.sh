#!/usr/bin/env bash
# java.net.http.HttpClient of Java 17 or later with its default settings, over cleartext: it offers HTTP/2 with
# `Upgrade: h2c`. The server is Node 24.21.0 with an ordinary handler for GET and POST, alone, or beside WebSocket on
# the same port, by ws 8.23.0, @fastify/websocket 11.3.7 (on fastify 5.12.8) or socket.io 4.8.4.
#
# A guess: 200 from Node alone, as a server may ignore Upgrade (RFC 9110 7.8), and 400 from the others, which take it
# for an invalid WebSocket handshake.
# Found: that holds for GET with ws and fastify. To POST, ws answers 405, though the handler accepts it, and fastify
# 400, since the content does not reach it and its length does not match. socket.io answers nothing and closes the
# connection. When a service gets its first WebSocket, all of its Java clients fail, each in a different way; with
# version(HTTP_1_1) they work.
#
# Fails if that changes. Needs Node 20 or later, npm and Java 17 or later, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts "node@npm:node-$platform@24.21.0" ws@8.23.0 socket.io@4.8.4 \
  fastify@5.12.8 @fastify/websocket@11.3.7 >>npm.log 2>&1
cat >Client.java <<'JAVA'
import java.net.URI;
import java.net.http.*;

class Client {
  public static void main(String[] args) throws Exception {
    for (HttpClient.Version version : new HttpClient.Version[] {null, HttpClient.Version.HTTP_1_1}) {
      HttpClient.Builder builder = HttpClient.newBuilder();
      HttpClient client = (version == null ? builder : builder.version(version)).build();
      for (int index = 0; index < args.length; index += 2) {
        StringBuilder line = new StringBuilder(args[index] + (version == null ? "" : " " + version) + ":");
        for (String method : new String[] {"GET", "POST"}) {
          HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(method.equals("GET") ? "" : "content");
          HttpRequest request = HttpRequest.newBuilder(URI.create(args[index + 1])).method(method, body)
            .header("Content-Type", "text/plain").build();
          String result;
          try {
            result = "" + client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
          } catch (java.io.IOException error) {
            result = "no response";
          }
          line.append(" " + method + " " + result);
        }
        System.out.println(line);
      }
    }
    System.exit(0);
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import fastifyWebSocket from '@fastify/websocket';
import Fastify from 'fastify';
import { Server } from 'socket.io';
import { WebSocketServer } from 'ws';

const createNode = () => createServer((request, response) => response.end(`${request.method} handled`));
const servers = { Node: createNode(), ws: createNode(), 'socket.io': createNode() };
new WebSocketServer({ server: servers.ws, path: '/socket' });
new Server(servers['socket.io']);
const fastify = Fastify();
await fastify.register(fastifyWebSocket);
fastify.all('/', async (request) => `${request.method} handled`);
await fastify.ready();
servers.fastify = fastify.server;
const args = [];
for (const [name, server] of Object.entries(servers)) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  args.push(name, `http://127.0.0.1:${server.address().port}/`);
}
await once(spawn('java', ['Client.java', ...args], { stdio: ['ignore', 'inherit', 'ignore'] }), 'close');
process.exit();
JS
node_modules/node/bin/node run.mjs 2>warnings.log | tee out.txt
diff out.txt - <<'TEXT'
Node: GET 200 POST 200
ws: GET 400 POST 405
socket.io: GET no response POST no response
fastify: GET 400 POST 400
Node HTTP_1_1: GET 200 POST 200
ws HTTP_1_1: GET 200 POST 200
socket.io HTTP_1_1: GET 200 POST 200
fastify HTTP_1_1: GET 200 POST 200
TEXT
