import http from 'node:http';
import { describe, expect, test } from 'vitest';
import { isHttp2, type Transport } from '../_client.ts';
import { startService } from '../_service.ts';
import { run } from '../foreign/clients/_origin.ts';
import {
  attemptsOf,
  cellOf,
  comparedTable,
  FAULTS_PAGE,
  type Column,
} from '../foreign/faults/_table.ts';
import { Directory, pathOf, startProxy } from './_proxy-process.ts';
import { freePorts } from '../_system.ts';
import { retrying, type Retrying } from './_retrying.ts';

type Row = readonly [method: string, path: string];

const get = (path: string): Row => ['GET', path];

const both: readonly Row[] = [
  get('/fault/close?at=start'),
  get('/fault/close?at=headers'),
  get('/fault/close'),
  get('/fault/close?at=end'),
  get('/fault/reset?at=start'),
  get('/fault/reset'),
  get('/fault/content-length?declared=10240&sent=5120'),
  get('/fault/content-length?declared=5120&sent=10240'),
  get('/informational/103?link=%3C/a.css%3E'),
  get('/informational/102,199'),
  get('/retry/KEY?fail=1&with=503'),
  get('/retry/KEY?fail=1&with=close'),
  ['POST', '/retry/KEY?fail=1&with=503'],
  ['POST', '/retry/KEY?fail=1&with=close'],
];

const rowsOf: Readonly<Record<'1.1' | '2', readonly Row[]>> = {
  '1.1': [
    ...both,
    get('/fault/close?framing=chunked'),
    get('/fault/chunk?how=bad-size'),
    get('/fault/chunk?how=overflow'),
    get('/fault/chunk?how=no-crlf'),
    get('/fault/chunk?how=no-last'),
    get('/fault/chunk?how=long-extension'),
    get('/fault/chunk?how=forbidden-trailer'),
  ],
  '2': [
    ...both,
    get('/fault/rst-stream?code=INTERNAL_ERROR'),
    get('/fault/rst-stream?code=REFUSED_STREAM&at=start'),
    get('/fault/rst-stream?code=NO_ERROR'),
    get('/fault/goaway?last=this&then=finish'),
    get('/fault/goaway?last=this&then=close'),
    get('/fault/goaway?last=zero&at=start'),
    get('/fault/goaway?last=max&then=finish'),
    get('/retry/KEY?fail=1&with=rst-stream'),
    get('/retry/KEY?fail=1&with=goaway'),
  ],
};

interface Received {
  status: string;
  received: number;
  error: string;
}

/** A request to the proxy on a connection of its own, with what came before the final response. */
function send(port: number, key: string, [method, path]: Row): Promise<Received> {
  return new Promise((resolve) => {
    const result: Received = { status: '', received: 0, error: '' };
    const interim: number[] = [];
    const end = (error: string): void => {
      clearTimeout(timer);
      request.destroy();
      const before = interim.length === 0 ? '' : `${interim.join(', ')}, then `;
      const status = result.status === '' && before !== '' ? 'nothing' : result.status;
      resolve({ ...result, status: before + status, error });
    };
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path: path.replace('KEY', key),
      agent: false as const,
      headers: { 'X-Wirebin-Journal': key },
    };
    const request = http.request(options, (response) => {
      result.status = String(response.statusCode);
      response.on('data', ({ length }: Buffer) => (result.received += length));
      // A response that is closed early is an error of Node.
      response.on('error', ({ message }) => end(message));
      response.on('end', () => end(''));
    });
    const timer = setTimeout(() => end('no end within 6 s'), 6000);
    request.on('information', ({ statusCode }) => interim.push(statusCode));
    request.on('error', ({ message }) => end(message));
    request.end(method === 'POST' ? 'content' : undefined);
  });
}

const RACE = '502, or an incomplete response';

/**
 * Whether it depends on time how a response fails: a proxy that receives the head together with what is wrong
 * after it can still respond with 502, or repeat the request.
 */
function isRace([, path]: Row, { status, error }: Received): boolean {
  const isAfterHead = /^\/fault\/(?:chunk|reset$|close\?framing)/.test(path);
  return isAfterHead && (error !== '' || /^50[234]$/.test(status));
}

async function columnOf(proxy: Retrying, rows: readonly Row[]): Promise<Column> {
  const { name, program, versionFlag, transport, configure } = proxy;
  const { port: backend, service } = await startService();
  const directory = new Directory();
  const [port = 0] = await freePorts(1);
  const process = await startProxy(program, configure({ directory, backend, port, transport }), [
    port,
  ]);
  const cells: string[] = [];
  try {
    for (const [at, row] of rows.entries()) {
      const key = `row-${at}`;
      const received = await send(port, key, row);
      const attempts = await attemptsOf(`http://127.0.0.1:${backend}`, key);
      const isEcho = /^\/(?:informational|retry)\//.test(row[1]);
      cells.push(isRace(row, received) ? RACE : cellOf(received, attempts, isEcho));
    }
  } finally {
    await process.close();
    directory.remove();
    service.close();
  }
  const { stdout, stderr } = await run(pathOf(program) ?? program, [versionFlag]);
  const version = /\d+(?:\.\d+)+/.exec(stdout.toString() + stderr)?.[0] ?? '';
  return { title: `${name} ${version}`, cells };
}

const backends: readonly (readonly ['1.1' | '2', Transport])[] = [
  ['1.1', 'http/1.1'],
  ['2', 'h2c'],
];

describe.each(backends)('faults behind proxies, HTTP/%s to wirebin', (version, transport) => {
  // Whether Caddy sends a request again depends on which of its connections a reset meets.
  test('what the page says', { timeout: 300_000, retry: 1 }, async ({ skip }) => {
    const rows = rowsOf[version];
    const chosen = retrying.filter((proxy) => isHttp2(proxy.transport) === isHttp2(transport));
    const found = chosen.filter(({ program }) => pathOf(program) !== undefined);
    for (const { program } of chosen.filter((proxy) => !found.includes(proxy))) {
      console.log(`NOT TESTED: faults behind ${program}, which is not installed`);
    }
    const columns = await Promise.all(found.map((proxy) => columnOf(proxy, rows)));
    if (columns.length === 0) skip('there is no proxy');
    const table = comparedTable(FAULTS_PAGE, `proxies-${version}`, rows, columns);
    expect(table.found).toEqual(table.expected);
  });
});
