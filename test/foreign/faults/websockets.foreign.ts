import { expect, test } from 'vitest';
import { startService } from '../../_service.ts';
import { get } from './_case.ts';
import { writeIndex } from './_index.ts';
import { nodeProgram, npmProgram, pythonProgram } from './_install.ts';
import type { Ready } from './_program.ts';
import { comparedTable, words, type Column } from './_table.ts';
import {
  NODE_OF_WEBSOCKET,
  nodeVersion,
  npmVersions,
  pythonVersions,
  type Age,
} from './_versions.ts';

const PAGE = new URL('../../../docs/measured/clients/websocket.md', import.meta.url);

const paths = [
  '/websocket/echo',
  '/websocket/echo?hello',
  '/websocket/echo?ping=0.1&delay=1',
  '/websocket/echo?close=1000',
  '/websocket/echo?close=1011&reason=failed',
  '/websocket/echo?close=4000',
  '/websocket/echo?reset',
  '/websocket/echo?reset&after=1',
  '/websocket/echo?stall',
  '/websocket/echo?bad-utf8',
  '/websocket/echo?masked',
  '/websocket/echo?bad-opcode',
  '/websocket/echo?oversized',
  '/anything',
  '/status/403',
  '/redirect-to?url=/websocket/echo',
  '/fault/close?at=start',
  '/fault/garbage',
];

const { undici } = npmVersions;
const python = (age: Age): ReturnType<typeof pythonProgram> => {
  const version = pythonVersions.websockets[age];
  const packages = [`websockets==${version}`];
  return pythonProgram(`websockets ${version}`, 'websocket_client.py', packages);
};
const node = (release: string): ReturnType<typeof nodeProgram> =>
  nodeProgram(`WebSocket of Node ${release}`, 'websocket_client.mjs', release);

const clients = [
  () => node(nodeVersion.current),
  () => node(NODE_OF_WEBSOCKET),
  () => npmProgram('undici', 'websocket_client.mjs', undici.current),
  () => python('current'),
  () => python('former'),
];

async function columnOf(client: Ready): Promise<Column> {
  const { port, service } = await startService();
  const cases = new Map(paths.map((path, at) => [`case-${at}`, get(path)] as const));
  const reports = await client.send(`http://127.0.0.1:${port}`, '1.1', cases);
  service.close();
  const cells = Array.from(cases.keys(), (key) => {
    const report = reports.get(key);
    if (!report) throw new Error(`nothing is reported of ${key}`);
    return [report.seen, words(report.error)].filter((part) => part !== '').join('; ');
  });
  return { title: client.version, cells };
}

test('faults as WebSocket clients report them', async ({ skip }) => {
  const columns: Column[] = [];
  for (const prepare of clients) {
    const ready = await prepare();
    if (typeof ready === 'string') console.log(`not run: ${ready}`);
    else columns.push(await columnOf(ready));
  }
  if (columns.length === 0) skip('there is no client');
  const rows = paths.map((path) => ['GET', path] as const);
  const { expected, found } = comparedTable(PAGE, 'websockets', rows, columns);
  expect(found).toEqual(expected);
  if (process.env['WIREBIN_WRITE_DOCS'] === '1') writeIndex();
});
