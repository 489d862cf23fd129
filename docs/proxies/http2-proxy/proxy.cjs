// TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin.
const { readFileSync } = require('node:fs');
const { createSecureServer } = require('node:http2');
const proxy = require('http2-proxy');

const origin = { hostname: '127.0.0.1', port: 8080 };

createSecureServer({
  cert: readFileSync('cert.pem'),
  key: readFileSync('key.pem'),
  allowHTTP1: true,
})
  .on('request', (request, response) => {
    proxy.web(request, response, origin, (error) => {
      if (!error) return;
      if (response.headersSent) response.destroy();
      else response.writeHead(error.statusCode ?? 502).end();
    });
  })
  .on('upgrade', (request, socket, head) => {
    proxy.ws(request, socket, head, origin, (error) => {
      if (error) socket.destroy();
    });
  })
  .listen(8443, '127.0.0.1');
