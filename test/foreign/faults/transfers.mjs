// The common part of the client programs for Node. They send the requests on standard input, and print a line for
// each. test/foreign/faults/_program.ts has the format of both.
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';

const [, , BASE, VERSION] = process.argv;
const SECONDS = 5;
/** Transfers at once. */
const MOST = 8;
/** Milliseconds before a second request, in which the origin does what it does with the connection. */
const PAUSE = 300;

/** HTTP/1.1 or HTTP/2, as the program was told. */
export const isHttp2 = VERSION === '2';

/** Names of trailer fields. */
export function trailersSeen(fields) {
  const names = Object.keys(fields ?? {});
  return names.length === 0 ? [] : [`trailer ${names.join(', ').toLowerCase()}`];
}

/** An error as name or code and message; undici and fetch put the cause below a TypeError. */
function wordsOf(error) {
  const { cause = error } = error;
  return [cause.code ?? cause.name, cause.message].join(': ');
}

async function transfer(client, name, request) {
  const report = { status: '', received: 0, seen: [] };
  const limit = new AbortController();
  const timer = globalThis.setTimeout(() => limit.abort(), SECONDS * 1000);
  const late = new Promise((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(new Error('no end within 5 s')));
  });
  let words = '';
  try {
    await Promise.race([client.send({ ...request, limit: limit.signal }, report), late]);
  } catch (error) {
    words = limit.signal.aborted ? 'no end within 5 s' : wordsOf(error);
  }
  clearTimeout(timer);
  const { status, received, seen } = report;
  const cells = [name, status, received, words, [...new Set(seen)].join('; ')];
  console.log(cells.map((cell) => String(cell).replaceAll(/\s+/g, ' ')).join('\t'));
}

function requestOf(name, method, path, length, fields) {
  const [field, value] = fields.split(': ');
  return {
    method,
    path,
    url: BASE + path,
    origin: BASE,
    fields: { 'x-wirebin-journal': name, ...(value && { [field.toLowerCase()]: value }) },
    ...(length > 0 && { content: Buffer.alloc(length) }),
  };
}

async function transfers(line, open) {
  const [name, method, path, length, fields = '', next = ''] = line.split('\t');
  const client = open(BASE);
  await transfer(client, name, requestOf(name, method, path, Number(length), fields));
  if (next !== '') {
    await setTimeout(PAUSE);
    const [nextMethod, nextPath] = next.split(' ');
    const nextLength = nextMethod === 'POST' ? 10 : 0;
    const request = requestOf(`${name}+`, nextMethod, nextPath, nextLength, '');
    await transfer(client, `${name}+`, request);
  }
  client.close();
}

/**
 * Sends all requests, each by a client of its own.
 *
 * @param open makes one: `send` fills in `status`, `received` and `seen` of a report, and throws an error; `close` ends its
 * connections
 */
export async function sendAll(open) {
  process.on('uncaughtException', () => undefined);
  const lines = [];
  for await (const line of createInterface({ input: process.stdin })) lines.push(line);
  const taking = Array.from({ length: MOST }, async () => {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      await transfers(line, open);
    }
  });
  await Promise.all(taking);
  process.exit(0);
}
