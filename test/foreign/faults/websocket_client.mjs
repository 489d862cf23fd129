// WebSocket of Node, or of the package undici in FOREIGN_MODULES: sends a message once it is open, and closes after the
// first message that comes.
import { createRequire } from 'node:module';
import { sendAll } from './transfers.mjs';

const modules = process.env.FOREIGN_MODULES;
const WebSocket = modules ? createRequire(modules)('undici').WebSocket : globalThis.WebSocket;

await sendAll(() => {
  let socket;
  return {
    send: ({ url }, report) =>
      new Promise((resolve) => {
        socket = new WebSocket(url.replace('http', 'ws'));
        socket.addEventListener('open', () => {
          report.seen.push('open');
          socket.send('hello');
        });
        socket.addEventListener('message', () => {
          report.seen.push('message');
          socket.close(1000);
        });
        socket.addEventListener('error', ({ message }) =>
          report.seen.push(`error ${message}`.trim()),
        );
        socket.addEventListener('close', ({ code, reason }) => {
          report.seen.push(`close ${code} ${reason}`.trim());
          resolve();
        });
      }),
    close: () => socket.close(),
  };
});
