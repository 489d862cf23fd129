import http from 'node:http';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectHttp2 } from '../src/net/http2-sessions.ts';
import { everywhere, type Place } from './_everywhere.ts';
import { converse, openSocket } from './_raw.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: string | undefined;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** HTTP/1.1: in how many chunks the body goes; 0 for a Content-Length. */
  readonly chunks: number;
}

const TOKEN = "!#$%&'*+-.^_`|~0123456789ABCXYZabcxyz".split('');
const token = fc.string({ unit: fc.constantFrom(...TOKEN), minLength: 1, maxLength: 12 });

// CONNECT has no path, OPTIONS and HEAD no content to read the echo from.
const UNECHOED = new Set(['CONNECT', 'OPTIONS', 'HEAD']);
const METHODS = http.METHODS.filter((method) => !UNECHOED.has(method));
const known = fc.oneof(fc.constantFrom('GET', 'DELETE', 'TRACE'), fc.constantFrom(...METHODS));
const anyMethod = token.filter((method) => !UNECHOED.has(method));

// pchar and `/` (RFC 3986 3.3), with what browsers and old clients leave unescaped beside them.
const PATH = `azAZ09-._~!$&'()*+,;=:@/"<>[]\\^\`{|}`.split('');
const escape = fc.integer({ min: 0, max: 255 }).chain((byte) => {
  const hex = byte.toString(16).padStart(2, '0');
  return fc.constantFrom(`%${hex}`, `%${hex.toUpperCase()}`);
});
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PATH) },
  { weight: 2, arbitrary: escape },
  { weight: 2, arbitrary: fc.constantFrom('/../', '/./', '//', '..', '%2e%2E/', '%', '%2', '%zz') },
);
const path = fc.array(piece, { maxLength: 20 }).map((pieces) => `/anything/${pieces.join('')}`);
const query = fc.array(fc.oneof(piece, fc.constantFrom('?', '&', '=', '+')), { maxLength: 20 });

// What frames the message, or asks something of the server, is no matter of chance.
const MEANINGFUL = new Set(['connection', 'content-length', 'cookie', 'expect', 'host', 'te']);
const name = fc
  .oneof(
    token,
    fc.constantFrom('X-Twice', 'x-twice', 'Cookie', 'COOKIE', '__proto__', 'x-123', '9'),
  )
  .filter((candidate) => !MEANINGFUL.has(candidate.toLowerCase()) || /^cookie$/i.test(candidate));
// field-content: VCHAR and obs-text, blanks only inside (RFC 9110 5.5).
const visible = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0x21, max: 0x7e }) },
  { weight: 1, arbitrary: fc.integer({ min: 0x80, max: 0xff }) },
);
const value = fc
  .array(fc.oneof({ weight: 9, arbitrary: visible }, fc.constantFrom(0x20, 0x09)), {
    maxLength: 30,
  })
  .map((bytes) => String.fromCharCode(...bytes).replace(/^[ \t]+|[ \t]+$/g, ''));

const requests = (method: fc.Arbitrary<string>): fc.Arbitrary<Sent> =>
  fc.record({
    method,
    path,
    query: fc.option(
      query.map((pieces) => pieces.join('')),
      { nil: undefined },
    ),
    fields: fc.array(fc.tuple(name, value), { maxLength: 12 }),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string().map((text) => Buffer.from(text)),
    ),
    chunks: fc.nat({ max: 3 }),
  });

interface Echoed {
  /** The fields that were sent, all of them, in order. */
  readonly lines: readonly (readonly [string, string])[];
  readonly view: Record<string, unknown>;
}

const targetOf = ({ path: sent, query: asked }: Sent): string =>
  asked === undefined ? sent : `${sent}?${asked}`;

async function overHttp1(sent: Sent, { transport, running }: Place): Promise<Echoed> {
  const { method, fields, body, chunks } = sent;
  const framing =
    chunks > 0 ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', `${body.length}`];
  const lines = [
    ['hOsT', 'fidelity.example'],
    ...fields,
    [framing[0] ?? '', framing[1] ?? ''],
    ['Connection', 'close'],
  ] as const;
  const head = lines.map(([field, text]) => `${field}: ${text}\r\n`).join('');
  const message = Buffer.concat([
    Buffer.from(`${method} ${targetOf(sent)} HTTP/1.1\r\n${head}\r\n`, 'latin1'),
    chunks > 0 ? chunked(body, chunks) : body,
  ]);
  const alpn = transport === 'https/1.1' ? ['http/1.1'] : undefined;
  const socket = await openSocket(running().port, alpn);
  const response = Buffer.from(await converse(socket, message), 'latin1');
  socket.destroy();
  const blank = response.indexOf('\r\n\r\n');
  expect(response.toString('latin1', 0, blank)).toMatch(/^HTTP\/1\.1 200 /);
  return { lines, view: JSON.parse(response.toString('utf8', blank)) as Record<string, unknown> };
}

/** The chunked coding (RFC 9112 7.1), in at most so many chunks. */
function chunked(body: Uint8Array, chunks: number): Buffer {
  const size = Math.max(1, Math.ceil(body.length / chunks));
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) {
    const data = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

async function overHttp2(sent: Sent, session: ClientHttp2Session): Promise<Echoed> {
  // Node's client takes an object: lines of a name go together, at the place of the first.
  const fields: Record<string, string[]> = Object.create(null);
  for (const [field, text] of sent.fields) (fields[field.toLowerCase()] ??= []).push(text);
  const pseudo = { ':method': sent.method, ':path': targetOf(sent) };
  const headers: OutgoingHttpHeaders = Object.assign(Object.create(null), pseudo, fields);
  const stream = session.request(headers, { endStream: sent.body.length === 0 });
  if (sent.body.length > 0) stream.end(sent.body);
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
  const lines = Object.entries(fields).flatMap(([field, values]) =>
    values.map((each) => [field, each] as const),
  );
  return { lines, view: JSON.parse(text) as Record<string, unknown> };
}

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

function expectFaithful(sent: Sent, { lines, view }: Echoed): void {
  const joined = new Map<string, string>();
  for (const [field, text] of lines) {
    const key = field.toLowerCase();
    const before = joined.get(key);
    const separator = key === 'cookie' ? '; ' : ', ';
    joined.set(key, before === undefined ? text : before + separator + text);
  }
  const raw = view['raw_headers'] as [string, string][];
  expect(raw.filter(([field]) => !field.startsWith(':'))).toEqual(lines);
  const pseudo = Object.fromEntries(raw.filter(([field]) => field.startsWith(':')));
  const expected = { ':method': sent.method, ':path': targetOf(sent) };
  expect(pseudo).toMatchObject(view['http_version'] === 'HTTP/2.0' ? expected : {});
  expect(Object.entries(view['headers'] as Record<string, string>).sort(byName)).toEqual(
    [...joined].sort(byName),
  );
  expect(view).toMatchObject({ method: sent.method, path: sent.path, query: sent.query ?? '' });
  const encoding = view['body_encoding'] === 'base64' ? 'base64' : 'utf8';
  expect(Buffer.from(String(view['body']), encoding)).toEqual(Buffer.from(sent.body));
}

// On failure fast-check prints the seed and the path to the smallest case: fc.assert(…, { seed, path }).
const bounds = { numRuns: 100, interruptAfterTimeLimit: 10_000, markInterruptAsFailure: false };

everywhere((place) => {
  const { transport, running } = place;
  test('the echo is exactly what was sent', async () => {
    if (transport === 'http/1.1' || transport === 'https/1.1') {
      const faithful = async (sent: Sent): Promise<void> =>
        expectFaithful(sent, await overHttp1(sent, place));
      await fc.assert(fc.asyncProperty(requests(known), faithful), bounds);
      return;
    }
    const scheme = transport === 'h2' ? 'https' : 'http';
    const session = connectHttp2(`${scheme}://127.0.0.1:${running().port}`, {
      rejectUnauthorized: false,
    });
    const faithful = async (sent: Sent): Promise<void> =>
      expectFaithful(sent, await overHttp2(sent, session));
    const property = fc.asyncProperty(requests(fc.oneof(known, anyMethod)), faithful);
    await fc.assert(property, bounds).finally(() => session.destroy());
  });
});
