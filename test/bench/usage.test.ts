import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createService, type Service } from '../../src/index.ts';
import { runCommand } from './_command.ts';

let origin: Service;
beforeAll(async () => {
  origin = await createService();
});
afterAll(() => origin.close());

describe('nothing to measure', () => {
  test('nothing listens', async () => {
    const service = await createService();
    await service.close();
    expect(await runCommand([service.httpOrigin])).toMatchObject({
      code: 3,
      error: `wirebin: cannot connect to the target: connect ECONNREFUSED 127.0.0.1:${service.port}\n`,
    });
    const { error } = await runCommand([origin.httpOrigin, '--direct', service.httpOrigin]);
    expect(error).toContain('cannot connect to the origin past the target: connect ECONNREFUSED');
  });

  test('another service', async () => {
    const server = createServer((_, response) => void response.end('{}'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, error } = await runCommand([`http://127.0.0.1:${port}`]);
    expect(code).toBe(3);
    expect(error).toContain('does not lead to a wirebin: 200 from a server without a name');
    expect(error).toContain('point the target at it\n');
  });
});

test.each([
  [[], 'the URL of the target is required; see wirebin bench --help'],
  [['a'], 'a is no http or https URL'],
  [['http://a/b?c'], 'http://a/b?c cannot be used'],
  [['http://a', 'b'], 'unexpected argument b'],
  [['a=http://a'], 'a=http://a has nothing to be compared with: name two, A=URL B=URL'],
  [['a=http://a', 'http://b'], 'unexpected argument http://b'],
  [['http://a', 'b=http://b'], 'unexpected argument b=http://b'],
  [['a=http://a', 'b=http://b', 'c=http://c'], 'unexpected argument c=http://c'],
  [['a=http://a', 'a=http://b'], 'both sides have the name a'],
  [['a=http://a', 'direct=http://b'], 'direct is the name of the side of --direct'],
  [['a=http://a', 'b=http://b/?c'], 'http://b/?c cannot be used'],
  [['--self', 'http://a'], '--self takes no URL'],
  [['--self', '--direct', 'http://a'], '--self takes no --direct'],
  [['http://a', '--direct', 'b'], '--direct b is no http or https URL'],
  [['http://a', '--only', 'none'], 'no scenario has the name none; there are healthz,'],
  [['http://a', '--max-added-p99', '1ms'], '--max-added-p99 requires --direct, or a second URL'],
  [['http://a', '--rate', '1', '--threads', '2'], '--rate must be at least one request per second'],
  [['a=http://a', 'b=http://b', '--during', 'true'], '--during takes one URL'],
  [
    ['http://a', '--during', 'true', '--only', 'websocket'],
    '--during cannot follow the messages of a WebSocket',
  ],
  [['http://127.0.0.1', '--pid', 'x'], "--pid cannot be 'x'; allowed: PID"],
  [['http://127.0.0.1', '--pid', '9999999'], '--pid 9999999: no such process runs here'],
  [['http://a', '--cert', 'c.pem'], '--cert and --key belong together'],
  [
    ['http://a', '--report', 'pdf=a'],
    "--report cannot be 'pdf=a'; allowed: FORMAT=FILE, with json, markdown, html, hgrm",
  ],
  [['http://a', '--report', 'hgrm=package.json/a'], 'package.json/a cannot be used'],
  [['http://a', '--during', 'a', '--find', 'errors=0'], '--during takes no --find'],
  [['http://a', '--during', 'a', '--min-rate', '1'], '--during takes no --min-rate'],
  [['http://a', '--during', 'a', '--max-added-p99', '1'], '--during takes no --max-added-p99'],
  [['http://a', '--during', 'a', '--time', '1'], '--during takes no --time'],
  [['http://a', '--during', 'a', '--rounds', '1'], '--during takes no --rounds'],
  [['http://a', '--during', 'a', '--threads', '2'], '--during takes no --threads'],
  [['http://a', '--find', 'p99>5ms'], "--find: 'p99>5ms' cannot be a condition: p99 must be"],
  [['http://a', '--sweep', '10'], "--sweep: '10' cannot be rates: write 10%..120%,"],
  [
    ['http://192.0.2.1'],
    'http://192.0.2.1 (192.0.2.1) is neither loopback nor private. Load it? Confirm',
  ],
  [
    ['http://127.0.0.1:1', '--direct', 'http://192.0.2.1'],
    'neither loopback nor private. Load it?',
  ],
])('%j is a usage error', async (args, message) => {
  await expect(runCommand(args)).rejects.toThrow(message);
});
