import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { readInvocation } from '../../src/cli/command-line.ts';
import { startupWarnings } from '../../src/cli/warnings.ts';
import { Capture } from '../../src/inspect/capture.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';
import { HAS_MODES, NOT_A_DIRECTORY } from '../_system.ts';
import { closedStory, idIn } from './_story.ts';
import { blocksOf, optionsOf, packetOf, type Block, type Packet } from './_pcapng.ts';
import { PATIENCE } from '../_adapters.ts';

const SECRETS_BLOCK = 10;
const PACKET_BLOCK = 6;
const STATISTICS_BLOCK = 5;
const MB = 1024 * 1024;
const FIN = 1;
const RST = 4;

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'wirebin-'));
});
afterAll(() => rm(root, { recursive: true }));

const directory = (): Promise<string> => mkdtemp(join(root, 'captures-'));

/** A service that writes its connections to a directory of its own. */
async function startCapturing(...args: readonly string[]) {
  const folder = await directory();
  const running = await startService('--inspect', '--inspect-file', folder, ...args);
  return { folder, running, ...running };
}

/** The blocks of the only file, once it is complete. */
async function captured(folder: string): Promise<Block[]> {
  const [file = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  return vi.waitFor(async () => {
    const blocks = blocksOf(await readFile(join(folder, file)));
    expect(blocks.at(-1)?.type).toBe(STATISTICS_BLOCK);
    return blocks;
  }, PATIENCE);
}

const packetsOf = (blocks: readonly Block[]): Packet[] =>
  blocks.filter(({ type }) => type === PACKET_BLOCK).map(packetOf);

/** The lines of the key log. */
function secretsOf(blocks: readonly Block[]): string[] {
  return blocks
    .filter(({ type }) => type === SECRETS_BLOCK)
    .flatMap(({ body }) =>
      body
        .subarray(8, 8 + body.readUInt32LE(4))
        .toString('latin1')
        .split(/(?<=\n)/),
    );
}

/** The data that went to or came from the port of a client. */
function dataOf(packets: readonly Packet[], side: 'sourcePort' | 'destinationPort', port: number) {
  const data = packets.filter((packet) => packet[side] === port).map((packet) => packet.data);
  return Buffer.concat(data);
}

test('all bytes of all connections, with the TLS secrets, in a file that only its owner reads', async () => {
  const { folder, port, service } = await startCapturing();
  const [file = ''] = await readdir(folder);
  expect(file).toMatch(
    new RegExp(
      String.raw`^wirebin-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-${process.pid}-00001\.pcapng$`,
    ),
  );
  expect((await stat(join(folder, file))).mode & 0o777).toBe(HAS_MODES ? 0o600 : 0o666);
  const clear = await openSocket(port);
  const clearPort = clear.localPort ?? 0;
  clear.once('end', () => clear.end());
  const response = await converse(clear, GET('/get?a=secret', LAST));
  const secure = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const lines: string[] = [];
  secure.on('keylog', (line: Buffer) => lines.push(line.toString('latin1')));
  await converse(secure, GET('/get'), (text) => text.endsWith('}\n'));
  secure.end();
  await once(secure, 'close');
  service.close();
  const blocks = await captured(folder);
  const packets = packetsOf(blocks);
  expect(dataOf(packets, 'sourcePort', clearPort).toString()).toBe(GET('/get?a=secret', LAST));
  expect(dataOf(packets, 'destinationPort', clearPort).toString('latin1')).toBe(response);
  expect(secretsOf(blocks).toSorted()).toEqual(lines.toSorted());
});

test('secrets come before the packets that they decrypt', async () => {
  const { folder, port, service } = await startCapturing();
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const stream = session.request({ ':path': '/healthz' });
  for await (const _ of stream.setEncoding('utf8'));
  session.close();
  await once(session, 'close');
  await service.stop();
  const blocks = await captured(folder);
  expect(secretsOf(blocks).join('')).toContain('CLIENT_TRAFFIC_SECRET_0 ');
  const last = blocks.findLastIndex(({ type }) => type === SECRETS_BLOCK);
  // After the ClientHello and our flight comes the client's Finished, maybe with its first frames.
  const third = packetsOf(blocks.slice(0, last)).filter(({ data }) => data.length > 0)[2];
  expect(third).toBeUndefined();
});

test('how the sides ended', async () => {
  const { folder, running, port, service } = await startCapturing('--conn-headers');
  const closing = await openSocket(port);
  const closingPort = closing.localPort;
  closing.once('end', () => closing.end());
  await closedStory(running, idIn(await converse(closing, GET('/get', LAST))));
  const resetting = await openSocket(port);
  const resettingPort = resetting.localPort;
  const text = await converse(resetting, GET('/get'), (received) => received.endsWith('}\n'));
  resetting.resetAndDestroy();
  await closedStory(running, idIn(text));
  service.close();
  const packets = packetsOf(await captured(folder));
  const ends = (client: number | undefined): string[] =>
    packets.flatMap(({ flags, sourcePort, destinationPort }) => {
      if ((flags & (FIN | RST)) === 0) return [];
      if (sourcePort === client) return [`client ${flags & RST ? 'RST' : 'FIN'}`];
      return destinationPort === client ? [`wirebin ${flags & RST ? 'RST' : 'FIN'}`] : [];
    });
  expect(ends(closingPort)).toEqual(['wirebin FIN', 'client FIN']);
  expect(ends(resettingPort)).toEqual(['client RST']);
});

const CONNECTION = {
  id: '1',
  peerAddress: '192.0.2.1',
  peerPort: 1,
  localAddress: '192.0.2.2',
  localPort: 2,
};

const ringIn = (
  folder: string,
  maxFiles: number,
  onFailure: (error: Error) => void,
  maxSize = 100 * MB,
): Promise<Capture> =>
  Capture.create({
    directory: folder,
    application: 'test',
    maxSize,
    maxFiles,
    onNextFile: () => undefined,
    onFailure,
  });

test('what a slow disk cannot keep up with is dropped and counted', async () => {
  const folder = await directory();
  const failed = vi.fn<(error: Error) => void>();
  const capture = await ringIn(folder, 2, failed);
  const connection = capture.open(CONNECTION);
  // Nothing is written before the loop has ended.
  const bytes = Buffer.alloc(MB);
  for (let count = 0; count < 40; count++) connection.received(bytes);
  capture.close();
  const blocks = await captured(folder);
  const options = optionsOf(blocks.at(-1)?.body ?? Buffer.alloc(0), 12);
  // isb_ifrecv, isb_ifdrop
  const [received = 0n, dropped = 0n] = [4, 5].map((code) => options.get(code)?.readBigUInt64LE());
  expect(received + dropped).toBe(41n);
  expect(dropped).toBeGreaterThan(5n);
  expect(dropped).toBeLessThan(10n);
  expect(failed).not.toHaveBeenCalled();
});

test.each([
  [
    'in one that is missing as well',
    'absent/captures',
    /^the capture cannot be created: ENOENT: [^\n]*$/,
  ],
  [
    'that is a file',
    'file',
    new RegExp(String.raw`^the capture cannot be created: ${NOT_A_DIRECTORY}: [^\n]*$`),
  ],
])('a directory %s prevents the start with a one-line error', async (_, path, message) => {
  await writeFile(join(root, 'file'), '');
  const start = startService('--inspect', '--inspect-file', join(root, path));
  await expect(start).rejects.toThrow(message);
});

test('a first file that cannot be created is told once', async () => {
  const onFailure = vi.fn<(error: Error) => void>();
  const folder = join(await directory(), 'file');
  await writeFile(folder, '');
  await expect(ringIn(folder, 2, onFailure)).rejects.toThrow(NOT_A_DIRECTORY);
  expect(onFailure).not.toHaveBeenCalled();
});

test('files that are deleted as soon as they begin do not come back', async () => {
  const folder = await directory();
  const onFailure = vi.fn<(error: Error) => void>();
  const capture = await ringIn(folder, 2, onFailure, 1);
  const connection = capture.open(CONNECTION);
  // All in one turn: each write has a file.
  for (let count = 0; count < 50; count++) connection.received(Buffer.alloc(10));
  capture.close();
  await vi.waitFor(async () => {
    const names = (await readdir(folder)).toSorted();
    expect(names.map((name) => name.slice(-12))).toEqual(['00051.pcapng', '00052.pcapng']);
  }, PATIENCE);
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  expect(await readdir(folder)).toHaveLength(2);
  expect(onFailure).not.toHaveBeenCalled();
});

test('a directory that is missing is created, for its owner only', async () => {
  const folder = join(root, 'created');
  const { service } = await startService('--inspect', '--inspect-file', folder);
  service.close();
  expect((await stat(folder)).mode & 0o777).toBe(HAS_MODES ? 0o700 : 0o666);
  await captured(folder);
});

test('files of a limited size replace one another, and the log has them', async () => {
  const limits = ['--inspect-file-size', '1', '--inspect-file-count', '3'];
  const { folder, port, service, logged } = await startCapturing(...limits);
  for (let count = 0; count < 12; count++) {
    const socket = await openSocket(port);
    socket.once('end', () => socket.end());
    await converse(socket, GET('/bytes/1000000', LAST));
  }
  await service.stop();
  const names = await vi.waitFor(async () => {
    const files = (await readdir(folder)).toSorted();
    expect(files.map((name) => name.slice(-12))).toEqual(
      ['11', '12', '13'].map((number) => `000${number}.pcapng`),
    );
    return files;
  }, PATIENCE);
  for (const name of names) {
    const bytes = await vi.waitFor(async () => {
      const content = await readFile(join(folder, name));
      expect(blocksOf(content).at(-1)?.type).toBe(STATISTICS_BLOCK);
      return content;
    }, PATIENCE);
    // A packet is never divided.
    expect(bytes.length).toBeLessThan(MB + 70_000);
    expect(packetsOf(blocksOf(bytes)).length).toBeGreaterThan(0);
  }
  const turns = logged.filter(({ msg }) => msg === 'the capture continues');
  expect(turns).toHaveLength(12);
  expect(turns[1]).not.toHaveProperty('deleted');
  expect(turns[2]).toMatchObject({
    file: expect.stringMatching(/00004\.pcapng$/),
    deleted: expect.stringMatching(/00001\.pcapng$/),
  });
});

test('--inspect-file requires --inspect, and is warned of at the start', async () => {
  expect(() => readInvocation(['--inspect-file', root], {})).toThrow(
    '--inspect-file requires --inspect',
  );
  const invocation = readInvocation(['--inspect', '--inspect-file', root], {});
  if (invocation.command !== 'serve') throw new Error('the arguments start no service');
  expect(await startupWarnings(invocation.settings, '24.21.0', Date.parse('2026-11-01'))).toEqual([
    `every connection is written to ${root}, with the TLS secrets that decrypt it`,
  ]);
});

test('a connection that is not inspected has no packets', async () => {
  const { folder, port, service } = await startCapturing('--inspect-memory', '1');
  const ports: (number | undefined)[] = [];
  // There is room for 20 of them.
  for (let count = 0; count < 22; count++) {
    const socket = await openSocket(port);
    ports.push(socket.localPort);
    const text = await converse(socket, GET('/get'), (received) => received.endsWith('}\n'));
    expect(text.includes('"missing"')).toBe(count >= 20);
  }
  service.close();
  const seen = new Set(packetsOf(await captured(folder)).map(({ sourcePort }) => sourcePort));
  expect(seen).toEqual(new Set([port, ...ports.slice(0, 20)]));
});
