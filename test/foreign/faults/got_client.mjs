// got of the package in FOREIGN_MODULES, with its defaults: it retries by itself.
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { DEFAULT_CIPHERS } from 'node:tls';
import { createRequire } from 'node:module';
import { isHttp2, sendAll, trailersSeen } from './transfers.mjs';

const modules = process.env.FOREIGN_MODULES;
const require = createRequire(modules);
const { default: got } = require('got');
// All transfers share the agent for HTTP/2, which keeps ten sessions without a stream: more would end each other's. got
// 16 does not export its own; got 14 uses that of a package.
const own = `${modules}got/dist/source/core/utils/http2-client.js`;
const { globalAgent } = existsSync(own) ? (await import(own)).default : require('http2-wrapper');
globalAgent.maxEmptySessions = Infinity;

let opened = 0;

await sendAll(() => {
  // Sessions of HTTP/2 are shared by all requests with the same options of TLS.
  const ciphers = `${DEFAULT_CIPHERS}${':!NULL'.repeat(++opened)}`;
  const options = { keepAlive: true };
  const agent = { http: new http.Agent(options), https: new https.Agent(options) };
  return {
    async send({ url, method, fields: headers, content: body, limit: signal }, report) {
      try {
        const response = await got(url, {
          method,
          headers,
          body,
          signal,
          // With an agent for https, got uses HTTP/1.1.
          ...(!isHttp2 && { agent }),
          http2: isHttp2,
          throwHttpErrors: false,
          https: { rejectUnauthorized: false, ciphers },
        });
        report.status = response.statusCode;
        report.received = response.rawBody.length;
        report.seen.push(...trailersSeen(response.trailers));
      } catch (error) {
        report.status = error.response?.statusCode ?? '';
        throw error;
      }
    },
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
});
