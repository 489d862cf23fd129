// The same by node:http2, each on a connection of its own.
import http2 from 'node:http2';
import { createInterface } from 'node:readline/promises';

const [, , base] = process.argv;

function send(line) {
  const [name, method, path, length] = line.split('\t');
  return new Promise((resolve) => {
    let status = '';
    let received = 0;
    const session = http2.connect(base, { rejectUnauthorized: false });
    const end = (error) => {
      clearTimeout(timer);
      session.destroy();
      console.log([name, status, received, error].join('\t'));
      resolve();
    };
    const fail = (error) => end(`${error.code}: ${error.message}`.replaceAll(/\s+/g, ' '));
    const timer = setTimeout(() => end('no end within 5 s'), 5000);
    const fields = { ':method': method, ':path': path, 'x-wirebin-journal': name };
    const stream = session.request(fields, { endStream: length === '0' });
    session.on('error', fail);
    stream
      .on('response', (head) => (status = head[':status']))
      .on('data', (piece) => (received += piece.length))
      .on('error', fail)
      .on('close', () =>
        end(stream.rstCode === 0 && status !== '' ? '' : `closed, code ${stream.rstCode}`),
      );
    if (length !== '0') stream.end(Buffer.alloc(Number(length)));
  });
}

const sent = [];
for await (const line of createInterface({ input: process.stdin })) sent.push(send(line));
await Promise.all(sent);
