// node:http and node:https, with an agent for each transfer that keeps connections.
import http from 'node:http';
import https from 'node:https';
import { sendAll, trailersSeen } from './transfers.mjs';

await sendAll((base) => {
  const { Agent, request: begin } = base.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    send: ({ url, method, fields: headers, content, limit: signal }, report) =>
      new Promise((resolve, reject) => {
        const request = begin(url, { method, headers, agent, signal });
        request.on('information', ({ statusCode }) => report.seen.push(statusCode));
        request.on('upgrade', ({ statusCode }, socket) => {
          report.status = statusCode;
          socket.destroy();
          resolve();
        });
        request.on('error', reject);
        request.on('response', (response) => {
          report.status = response.statusCode;
          response.on('data', ({ length }) => (report.received += length));
          response.on('error', reject);
          response.on('end', () => {
            report.seen.push(...trailersSeen(response.trailers));
            resolve();
          });
        });
        if (headers.expect === undefined) request.end(content);
        else request.on('continue', () => request.end(content));
      }),
    close: () => agent.destroy(),
  };
});
