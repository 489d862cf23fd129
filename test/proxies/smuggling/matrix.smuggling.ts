import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { llhttpReader } from '../../fuzz/http1/servers.ts';
import type { Reader } from '../../fuzz/http1/reading.ts';
import { sharedService } from '../../_shared.ts';
import { freePort } from '../../_system.ts';
import {
  Directory,
  howToInstall,
  pathOf,
  startProxy,
  type ProxyProcess,
} from '../_proxy-process.ts';
import { startRelay, type Witnessed } from '../_relay.ts';
import { framings, type Framing } from './_framings.ts';
import { fronts, type Front } from './_fronts.ts';
import { disagreements } from './_readings.ts';

function row(name: string, cells: readonly string[]): string {
  return `| ${[name, ...cells].join(' | ')} |`;
}

/** Milliseconds without a byte after which a client leaves: the proxy waits for more, or keeps the connection. */
const QUIET = 200;

const running = sharedService();
let reference: Reader;
beforeAll(async () => {
  reference = await llhttpReader();
});
afterAll(() => reference.close());

/** What becomes of a framing. */
type Outcome =
  | 'refused by the proxy'
  | 'forwarded unchanged'
  | 'normalized'
  // The proxy forwarded a part of it, and left.
  | 'cut off by the proxy'
  // wirebin read it, and the proxy answered something else.
  | 'forwarded, then refused by the proxy'
  | 'refused by wirebin';
/** The outcomes of each proxy, in the order of the framings. */
const matrix = new Map<string, readonly Outcome[]>();
afterAll(() => {
  const head = row('', [...matrix.keys()]);
  const rows = framings.map(({ name }, at) =>
    row(
      name,
      [...matrix.values()].map((outcomes) => outcomes[at] ?? ''),
    ),
  );
  process.stdout.write(`${[head, ...rows].join('\n')}\n`);
});

describe.each(fronts)('$program', (front) => {
  const isHere = pathOf(front.program) !== undefined;
  if (!isHere) process.stdout.write(`NOT TESTED: ${howToInstall(front.program)}\n`);

  test.runIf(isHere)('no framing has two readings', async () => {
    const { witnessed, responses } = await sendAll(front);
    const found: string[] = [];
    for (const connection of witnessed) {
      const [sent, answered] = [connection.sent(), connection.answered().toString('latin1')];
      const carried = { sent: sent.toString('latin1'), answered };
      const disagree = disagreements(carried, await reference.read([sent]));
      if (disagree.length > 0) found.push(`${disagree.join(', ')}: ${JSON.stringify(carried)}`);
    }
    expect(found).toEqual([]);
    expect(witnessed.length).toBeGreaterThan(0);
    for (const [at, response] of responses.entries()) {
      // Neither a request nor its response is another client's.
      const paths = [...response.matchAll(/"path": "([^"]+)"/g)];
      expect(paths.filter(([, path = '']) => !path.startsWith(pathOfFraming(at)))).toEqual([]);
    }
    matrix.set(
      front.program,
      framings.map((framing, at) => outcomeOf(framing, at, witnessed, responses[at] ?? '')),
    );
  });
});

function pathOfFraming(at: number): string {
  return `/anything/${at}/`;
}

/** Sends each framing on a connection of its own, with another request behind it, and then an honest request. */
async function sendAll(
  front: Front,
): Promise<{ readonly witnessed: readonly Witnessed[]; readonly responses: readonly string[] }> {
  const relay = await startRelay(running().port);
  const directory = new Directory();
  let proxy: ProxyProcess | undefined;
  try {
    const port = await freePort();
    const args = front.configure(directory, port, relay.port);
    proxy = await startProxy(front.program, args, [port], { cwd: directory.path });
    const responses: string[] = [];
    for (const [at, { bytes }] of framings.entries()) {
      const path = pathOfFraming(at);
      responses.push(await send(port, bytes(`${path}first`) + lastRequest(`${path}last`)));
      const honest = await send(port, lastRequest(`${path}honest`));
      expect(honest).toContain(`"path": "${path}honest"`);
    }
    return { witnessed: relay.witnessed, responses };
  } finally {
    await proxy?.close();
    await relay.close();
    directory.remove();
  }
}

function lastRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
}

/** Sends bytes on a connection of their own. @returns what comes back, in latin1 */
function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined).on('close', () => resolve(received));
    socket.setTimeout(QUIET, () => socket.destroy());
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** What became of the first request of a framing. */
function outcomeOf(
  { bytes }: Framing,
  at: number,
  witnessed: readonly Witnessed[],
  response: string,
): Outcome {
  const path = `${pathOfFraming(at)}first`;
  const connection = witnessed.find(({ sent }) => sent().includes(`${path} `));
  if (!connection) return 'refused by the proxy';
  const echo = `"path": "${path}"`;
  if (!connection.answered().includes(echo)) {
    return connection.hadLeft() ? 'cut off by the proxy' : 'refused by wirebin';
  }
  if (!response.includes(echo)) return 'forwarded, then refused by the proxy';
  const [, lines = ''] = /\r\nHost: x\r\n([^]*)$/.exec(bytes(path)) ?? [];
  const sent = connection.sent().toString('latin1');
  return sent.includes(lines) ? 'forwarded unchanged' : 'normalized';
}
