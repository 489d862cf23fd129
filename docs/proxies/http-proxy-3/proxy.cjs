// TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin.
const { readFileSync } = require('node:fs');
const { createProxyServer } = require('http-proxy-3');

const proxy = createProxyServer({
  target: 'http://127.0.0.1:8080',
  ssl: { cert: readFileSync('cert.pem'), key: readFileSync('key.pem') },
  xfwd: true,
  ws: true,
});
// Without a listener, the first error ends the process.
proxy.on('error', (error, request, response) => {
  if (response.headersSent !== false) return response.destroy();
  // It may go on to write what comes from the origin.
  response.on('error', () => {});
  response.writeHead(502).end();
});
proxy.listen(8443, '127.0.0.1');
