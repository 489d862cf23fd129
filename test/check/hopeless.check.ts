import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createHttp2Server } from '../../src/net/http2-sessions.ts';
import { deferDestroy } from '../../src/net/node-internals-http2.ts';
import { ResponseRecorder } from '../../src/check/client/response-recorder.ts';
import { checks } from '../../src/check/catalogue/all.ts';
import { listening, type Proxy } from './_gateway-server.ts';
import { bench, those } from './_run.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n';
const TIME = 3000;
/** Milliseconds for each request to a target that never answers. */
const BLACK_HOLE_TIME = 100;

/** A response on HTTP/1.1: its fields without those for one hop and without its length. */
interface Answer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly content: string;
}

const REFUSAL: Answer = {
  status: 400,
  fields: { 'content-type': 'text/plain', server: 'hopeless' },
  content: 'No.\n',
};

/** Records what a gateway answers a request for `/anything`. */
async function record({ url }: Proxy): Promise<Answer> {
  const socket = connect(Number(url.port), '127.0.0.1');
  socket.write(
    `GET /anything/check-recorded HTTP/1.1\r\nHost: ${url.host}\r\nX-Wirebin-Journal: check-recorded\r\nConnection: close\r\n\r\n`,
  );
  const reader = new ResponseRecorder('GET');
  socket.on('data', (piece: Buffer) => reader.push(piece));
  await once(socket, 'end');
  const { fields = [], content = '' } = reader.response ?? {};
  const lines = fields.map(([name, value]) => [name.toLowerCase(), value] as const);
  const kept = lines.filter(([name]) => !/^(?:content-length|connection|date)$/.test(name));
  return { status: 200, fields: Object.fromEntries(kept), content: String(content) };
}

/** A target that answers every request alike, on HTTP/1.1 and HTTP/2; without an answer, it never does. */
function startHopeless(answer: Answer | undefined): Promise<Proxy> {
  const http2 = createHttp2Server();
  http2.on('sessionError', () => undefined);
  http2.on('session', (session) => {
    deferDestroy(session);
    session.on('error', () => undefined);
  });
  http2.on('stream', (stream) => {
    stream.on('error', () => undefined);
    if (!answer || stream.destroyed) return;
    stream.resume().respond({ ':status': answer.status, ...answer.fields });
    stream.end(answer.content);
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (!answer) return void socket.resume();
    socket.once('readable', () => {
      const first: Buffer = socket.read() ?? Buffer.alloc(0);
      if (!first.toString('latin1', 0, PREFACE.length).startsWith(PREFACE.slice(0, first.length)))
        return serveHttp1(socket, first.toString('latin1'), answer);
      if (first.length > 0) socket.unshift(first);
      http2.emit('connection', socket);
    });
  });
  return listening(server, 'http');
}

/** Answers each header section; content that looks like none is skipped. */
function serveHttp1(socket: Socket, first: string, { status, fields, content }: Answer): void {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${content.length}\r\n`;
  let unread = '';
  const take = (text: string): void => {
    unread += text;
    for (let found; (found = /^[^\n]* HTTP\/\d\.\d\r?\n(?:[^\n]+\n)*?\r?\n/im.exec(unread));) {
      unread = unread.slice(found.index + found[0].length);
      const body = found[0].startsWith('HEAD ') ? '' : content;
      socket.write(`HTTP/1.1 ${status} -\r\n${lines.join('')}${length}\r\n${body}`, 'latin1');
    }
  };
  take(first);
  socket.on('data', (piece: Buffer) => take(piece.toString('latin1')));
}

const run = checks.filter(({ isSlow }) => isSlow !== true);

const started = bench();
describe('a target that forwards nothing passes no check', () => {
  test.each(['recording', 'black hole', '400'] as const)(
    '%s',
    { timeout: 120_000 },
    async (kind) => {
      const correct = await started().gateway({ scheme: 'http' });
      const recording = await record(correct);
      const { facts } = await started().run(correct, []);
      const answers = { recording, 'black hole': undefined, '400': REFUSAL };
      const target = await startHopeless(answers[kind]);
      const time = kind === 'black hole' ? BLACK_HOLE_TIME : TIME;
      const { results } = await started().run(target, run, facts, time);
      expect(results.length).toBeGreaterThan(0);
      expect(those(results, 'pass')).toEqual([]);
      expect(results.filter(({ found = '' }) => /NaN|Infinity/.test(found))).toEqual([]);
    },
  );
});

test('nothing is said of what a recording caches, codes or does with trailers', async () => {
  const cache = await started().gateway({ scheme: 'http', hasCache: true });
  const recording = await record(cache);
  const { facts } = await started().run(cache, []);
  const target = await startHopeless(recording);
  // `coding/upload` is about requests, which a recording does not forward.
  const chosen = checks.filter(({ id }) =>
    /^(?:cache\/|coding\/(?!upload$)|trailer\/response$)/.test(id),
  );
  const { results } = await started().run(target, chosen, facts, TIME);
  expect(results.length).toBeGreaterThan(chosen.length);
  expect(those(results, 'pass', 'fail', 'differs', 'flaky', 'error', 'blocked')).toEqual([]);
});
