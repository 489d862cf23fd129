import { execFile, spawnSync } from 'node:child_process';
import { Duplex } from 'node:stream';
import { connect, type Socket } from 'node:net';
import tls from 'node:tls';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { alpnOf, isHttp2, isSecure, transports, type Transport } from '../../_client.ts';
import { echoOf } from '../../_echo.ts';
import * as h2 from '../../_frames.ts';
import { converse, GET, LAST, openPair } from '../../_raw.ts';
import { startService, type Running } from '../../_service.ts';
import { closedStory, idIn } from '../_story.ts';
import { PacketRecorder } from './_packets.ts';

// How TCP ended, by /connections/{id} and by a recording of the packets.

let running: Running;
let recorder: PacketRecorder | undefined;
beforeAll(async () => {
  running = await startService('--inspect', '--conn-headers');
  recorder = await PacketRecorder.start(running.port);
  if (!recorder) console.log('NOT TESTED: tshark is missing, or may not record');
});
beforeEach(({ skip }) => skip(recorder === undefined));
afterAll(() => {
  recorder?.close();
  running.service.close();
});

const isComplete = (text: string): boolean => /\r\n\r\n.*\}\n$/s.test(text);

const hasCurl = spawnSync('curl', ['--version']).error === undefined;

interface Pair {
  readonly clear: Socket;
  readonly socket: Socket;
}

/** @returns the id of the connection */
async function request({ socket }: Pair, transport: Transport, fields = ''): Promise<string> {
  if (!isHttp2(transport)) return idIn(await converse(socket, GET('/get', fields), isComplete));
  const client = new h2.FrameClient(socket);
  client.send(h2.get(1, '/get'));
  await until(() => client.isDone(1));
  return echoOf(client.content(1)).conn.id;
}

/** Ways of a client to end. */
const ways: Readonly<Record<string, (pair: Pair) => unknown>> = {
  'FIN, after close_notify over TLS': ({ socket }) => socket.end(),
  'FIN without close_notify': ({ clear }) => clear.end(),
  'it closes at once': ({ clear }) => clear.destroy(),
  'it closes after close_notify': ({ socket, clear }) => socket.end(() => clear.destroy()),
  RST: ({ clear }) => clear.resetAndDestroy(),
  'RST after close_notify': ({ socket, clear }) => socket.end(() => clear.resetAndDestroy()),
};

/** The packets may have ends of the client that came after wirebin had closed its socket. */
async function expectRecorded(id: string): Promise<void> {
  const { tcp, peer } = await closedStory(running, id);
  const recorded = (await recorder?.endsOf(Number(peer.split(':').at(-1)))) ?? [];
  const said = tcp.ends.map(({ by, how }, at) => ({
    by,
    how: how === 'close' ? recorded[at]?.how : how,
  }));
  const last = said.at(-1);
  expect(said).toEqual(last?.by === 'wirebin' ? recorded.slice(0, said.length) : recorded);
  expect(said).not.toEqual([]);
}

describe.each(transports)('%s', (transport) => {
  test.each(Object.entries(ways))('the client ends: %s', async (_, end) => {
    for (let count = 0; count < 3; count++) {
      const pair = await openPair(running.port, alpnOf(transport));
      const id = await request(pair, transport);
      pair.clear.once('end', () => pair.clear.end());
      end(pair);
      await expectRecorded(id);
    }
  });

  test.runIf(isSecure(transport))('the client sends close_notify without FIN', async () => {
    const clear = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true });
    const bytes = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => void clear.write(chunk, () => done()),
    });
    clear.on('data', (chunk) => bytes.push(chunk)).on('end', () => clear.end());
    const alpn = alpnOf(transport) ?? [];
    const socket = tls.connect({ socket: bytes, rejectUnauthorized: false, ALPNProtocols: alpn });
    await once(socket, 'secureConnect');
    const id = await request({ clear, socket }, transport);
    socket.end();
    await expectRecorded(id);
  });

  test.runIf(!isHttp2(transport)).each(['wirebin', 'the client, and it waits'])(
    'first ends %s',
    async (who) => {
      const pair = await openPair(running.port, alpnOf(transport));
      pair.socket.once('end', () => pair.socket.end());
      const received = converse(pair.socket, GET('/delay/0.3', LAST), isComplete);
      if (who !== 'wirebin') pair.socket.end();
      await expectRecorded(idIn(await received));
    },
  );

  test('wirebin resets', async () => {
    const pair = await openPair(running.port, alpnOf(transport));
    const id = await request(pair, transport);
    const path = '/fault/reset?at=start';
    pair.socket.write(isHttp2(transport) ? h2.get(3, path) : GET(path));
    await expectRecorded(id);
  });

  test.runIf(hasCurl)('curl', async () => {
    const version = isHttp2(transport) ? '--http2-prior-knowledge' : '--http1.1';
    const url = `${isSecure(transport) ? 'https' : 'http'}://127.0.0.1:${running.port}/get`;
    for (let count = 0; count < 3; count++) {
      const args = ['-sk', isSecure(transport) && isHttp2(transport) ? '--http2' : version, url];
      const { stdout } = await promisify(execFile)('curl', args);
      const { conn } = echoOf(Buffer.from(stdout));
      await expectRecorded(conn.id);
    }
  });
});
