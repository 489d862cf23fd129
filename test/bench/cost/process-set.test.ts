import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { processesOf } from '../../../src/bench/cost/process-set.ts';
import { makeProc, socketLine } from './_proc.ts';

const HERE = { port: 8080, addresses: ['127.0.0.1'] };
const LISTENING = [socketLine('00000000', 8080, 11)];
const pidsOf = (...args: Parameters<typeof processesOf>): number[] =>
  processesOf(...args).map(({ pid }) => pid);

test('by port: all that hold a listening socket, once, and what descends from them', () => {
  const proc = makeProc(
    [
      { pid: 10, sockets: [11] },
      { pid: 11, parent: 10, sockets: [5, 11] },
      { pid: 12, parent: 10 },
      { pid: 13, parent: 12 },
      { pid: 20, sockets: [12] },
      { pid: 21, sockets: [21] },
    ],
    [...LISTENING, socketLine('0100007F', 8080, 12), socketLine('0100007F', 80, 21)],
  );
  expect(pidsOf(HERE, proc)).toEqual([10, 11, 20, 12, 13]);
  expect(pidsOf({ ...HERE, port: 80 }, proc)).toEqual([21]);
  expect(pidsOf({ ...HERE, port: 81 }, proc)).toEqual([]);
});

test('by pid: the processes named, and what descends from them', () => {
  const proc = makeProc([{ pid: 10 }, { pid: 9, parent: 10 }, { pid: 20 }, { pid: 30 }]);
  expect(pidsOf({ pids: [10, 30, 31] }, proc)).toEqual([10, 30, 9]);
});

test('this process does not belong to the server that has started it, but may be the server', () => {
  const { pid } = process;
  const processes = [
    { pid: 10, sockets: [11] },
    { pid, parent: 10 },
  ];
  expect(pidsOf(HERE, makeProc(processes, LISTENING))).toEqual([10]);
  expect(pidsOf({ pids: [pid] }, makeProc(processes))).toEqual([pid]);
});

test('systemd keeps sockets for services, and is none of them', () => {
  const processes = [
    { pid: 1, name: 'systemd', sockets: [11] },
    { pid: 10, sockets: [11] },
    { pid: 20 },
  ];
  expect(pidsOf(HERE, makeProc(processes, LISTENING))).toEqual([10]);
});

test('without /proc there are none', () => {
  expect(pidsOf(HERE, '/nowhere')).toEqual([]);
});

test.runIf(process.platform === 'linux')('on this machine, a server is found', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  expect(pidsOf({ port, addresses: ['127.0.0.1'] })).toContain(process.pid);
  expect(pidsOf({ port, addresses: ['127.0.0.2'] })).toEqual([]);
});
