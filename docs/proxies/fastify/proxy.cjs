// TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin.
const { readFileSync } = require('node:fs');
const fastify = require('fastify');
const proxy = require('@fastify/http-proxy');

const server = fastify({
  http2: true,
  https: { cert: readFileSync('cert.pem'), key: readFileSync('key.pem'), allowHTTP1: true },
});
server.register(proxy, { upstream: 'http://127.0.0.1:8080', websocket: true });
server.listen({ port: 8443, host: '127.0.0.1' });
