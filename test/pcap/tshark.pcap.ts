import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decryptionSecrets, interfaceStatistics } from '../../src/inspect/pcapng.ts';
import {
  frame,
  FrameClient,
  get,
  PING,
  PREFACE,
  PRIORITY,
  SETTINGS,
  WINDOW_UPDATE,
} from '../_frames.ts';
import { startService, type Running } from '../_service.ts';
import { fileHeader, startRecorder, type Recorder, type Recording } from './_recorder.ts';
import { requireTshark, tshark } from './_tshark.ts';
import { PATIENCE } from '../_adapters.ts';

console.log(requireTshark());

let directory = '';
let running: Running;
let recorder: Recorder;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
  running = await startService();
  recorder = await startRecorder(running.port);
});
afterAll(async () => {
  running.service.close();
  void recorder.close();
  await rm(directory, { recursive: true });
});

/** Writes the last connection to a file, with its secrets if there are any. */
async function fileOf(name: string, secrets: readonly Buffer[]): Promise<string> {
  const { packets, closed } = last();
  await closed;
  const file = join(directory, `${name}.pcapng`);
  const time = Date.now();
  const parts = [
    fileHeader(),
    ...(secrets.length > 0 ? [decryptionSecrets(Buffer.concat(secrets))] : []),
    ...packets,
    interfaceStatistics({ start: time, end: time, received: packets.length, dropped: 0 }),
  ];
  await writeFile(file, Buffer.concat(parts));
  return file;
}

function last(): Recording {
  const recording = recorder.recordings.at(-1);
  if (!recording) throw new Error('no connection');
  return recording;
}

/** Nothing is malformed, no checksum is wrong, nothing is lost or repeated. */
async function expectSound(file: string): Promise<void> {
  const { port } = recorder;
  const lines = await tshark(file, port, '-Y', '_ws.malformed || _ws.expert.severity >= 0x600000');
  expect(lines).toEqual([]);
  expect(await tshark(file, port, '-Y', 'tcp.analysis.flags')).toEqual([]);
}

/** The payload of each side is what was recorded. */
async function expectPayload(file: string): Promise<void> {
  const { bytes } = last();
  const lines = await tshark(
    file,
    recorder.port,
    '-Y',
    'tcp.len > 0',
    '-T',
    'fields',
    '-e',
    'tcp.dstport',
    '-e',
    'tcp.payload',
  );
  const payload = { client: '', server: '' };
  for (const line of lines) {
    const [destination, hex = ''] = line.split('\t');
    payload[Number(destination) === recorder.port ? 'client' : 'server'] += hex;
  }
  expect(payload.client).toBe(Buffer.concat(bytes.client).toString('hex'));
  expect(payload.server).toBe(Buffer.concat(bytes.server).toString('hex'));
}

/** Type, flags, stream and length of each frame that Wireshark finds to or from the server, without the preface. */
async function framesIn(file: string, side: 'dst' | 'src'): Promise<string[]> {
  const fields = ['type', 'flags', 'streamid', 'length'].flatMap((name) => ['-e', `http2.${name}`]);
  const filter = ['-Y', `http2 && tcp.${side}port == ${recorder.port}`];
  const lines = await tshark(file, recorder.port, ...filter, '-T', 'fields', ...fields);
  return lines.flatMap((line) => {
    const [types = [], ...others] = line.split('\t').map((list) => list.split(','));
    return types
      .filter((type) => type !== '')
      .map((type, at) => [type, others.map((list) => list[at])].flat().map(Number).join('\t'));
  });
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', (version) => {
  const options = { rejectUnauthorized: false, minVersion: version, maxVersion: version } as const;

  test('HTTP/1.1 is decrypted by the secrets in the file', async () => {
    const secrets: Buffer[] = [];
    const socket = tls.connect({
      ...options,
      port: recorder.port,
      host: '127.0.0.1',
      ALPNProtocols: ['http/1.1'],
    });
    socket.on('keylog', (line: Buffer) => secrets.push(line));
    await once(socket, 'secureConnect');
    socket.write(
      'GET /bytes/200000?seed=1 HTTP/1.1\r\nHost: x\r\nX-Secret: a\r\nConnection: close\r\n\r\n',
    );
    socket.resume();
    await once(socket, 'close');
    const file = await fileOf(`h1-${version}`, secrets);
    await expectSound(file);
    await expectPayload(file);
    const fields = ['-T', 'fields', '-e', 'http.request.uri', '-e', 'http.request.line'];
    const requests = await tshark(file, recorder.port, '-Y', 'http.request', ...fields);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatch(/^\/bytes\/200000\?seed=1\t.*X-Secret: a/);
    const responses = await tshark(
      file,
      recorder.port,
      '-Y',
      'http.response',
      '-T',
      'fields',
      '-e',
      'http.response.code',
      '-e',
      'http.content_length',
    );
    expect(responses).toEqual(['200\t200000']);
  });

  test('HTTP/2 is decrypted, and has the same frames', async () => {
    const { port } = recorder;
    const secrets: Buffer[] = [];
    const socket = tls.connect({ ...options, port, host: '127.0.0.1', ALPNProtocols: ['h2'] });
    socket.on('keylog', (line: Buffer) => secrets.push(line));
    await once(socket, 'secureConnect');
    const sent = [
      frame(SETTINGS, 0, 0),
      ...[1, 3].map((stream) => get(stream, `/bytes/${stream * 9000}?seed=1`)),
      frame(PRIORITY, 0, 5, Buffer.of(0, 0, 0, 1, 7)),
      frame(PING, 0, 0, Buffer.alloc(8, 1)),
      frame(WINDOW_UPDATE, 0, 0, Buffer.of(0, 0, 1, 0)),
    ];
    const client = new FrameClient(socket, Buffer.concat([PREFACE, ...sent]));
    await vi.waitFor(
      () => expect([1, 3].every((stream) => client.isDone(stream))).toBe(true),
      PATIENCE,
    );
    socket.end();
    await once(socket, 'close');
    const file = await fileOf(`h2-${version}`, secrets);
    await expectSound(file);
    await expectPayload(file);
    expect(await framesIn(file, 'dst')).toEqual(
      sent.map((bytes) => [bytes[3], bytes[4], bytes.readUInt32BE(5), bytes.length - 9].join('\t')),
    );
    expect(await framesIn(file, 'src')).toEqual(
      client.frames.map(({ type, flags, stream, payload }) =>
        [type, flags, stream, payload.length].join('\t'),
      ),
    );
  });

  test('without the secrets nothing is decrypted', async () => {
    const socket = tls.connect({ ...options, port: recorder.port, host: '127.0.0.1' });
    await once(socket, 'secureConnect');
    socket.end('GET /get HTTP/1.0\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    const file = await fileOf(`opaque-${version}`, []);
    await expectSound(file);
    expect(await tshark(file, recorder.port, '-Y', 'http')).toEqual([]);
  });
});
