import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { echoOf, type Echoed } from './echo.ts';

// What each endpoint does, in as few lines as can be: no checks, no routing but by the first segment.

export interface Asked extends Echoed {
  readonly content: Readable;
}

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly fields?: Readonly<Record<string, string | string[]>>;
  readonly trailers?: Record<string, string>;
  /** Whole, or in pieces whose length is not said. */
  readonly content: string | Buffer | readonly (string | Buffer)[];
}

type Handle = (asked: Asked, parts: string[], query: URLSearchParams) => Answer | Promise<Answer>;

const JSON_TYPE = 'application/json';
const PROBLEM = 'application/problem+json';
const TEXT = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const LINES = 'application/x-ndjson';

const json = (value: unknown): Answer => ({ type: JSON_TYPE, content: pretty(value) });
const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const redirect = (location: string, cookies?: string[]): Answer => ({
  status: 302,
  fields: { location, ...(cookies && { 'set-cookie': cookies }) },
  content: '',
});
const refusal = (status: number, title: string, detail: string, challenge?: string): Answer => ({
  status,
  type: PROBLEM,
  ...(challenge !== undefined && { fields: { 'www-authenticate': challenge } }),
  content: pretty({ type: '/problems/unauthorized', title, status, detail }),
});

const urlOf = ({ headers, target }: Asked): string =>
  `http://${headers.host ?? String(headers[':authority'])}${target}`;

function recordOf(asked: Asked, query: URLSearchParams): object {
  const args = Object.fromEntries(query);
  return { url: urlOf(asked), args, headers: { ...asked.headers }, origin: '127.0.0.1' };
}

function lines(count: number, asked: Asked, query: URLSearchParams): Answer {
  const rest = JSON.stringify(recordOf(asked, query)).slice(1);
  const content = Array.from({ length: count }, (_, id) => `{"id":${id},${rest}\n`);
  return { type: LINES, content };
}

const keystream = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
const page = (length: number): string => `<!doctype html>${' '.repeat(length - 15)}`;
const [UTF8, FORM, DENY, IMAGE] = [page(1138), page(1362), ' '.repeat(250), Buffer.alloc(117)];
const compress = promisify(gzip);
const environment = { WIREBIN_BENCH: 'a' };
const machine = hostname();

/** @returns what is asked of it once all content has come */
async function upload(asked: Asked, query: URLSearchParams): Promise<Answer> {
  const hash = createHash('sha256');
  let [bytes, chunks] = [0, 0];
  for await (const piece of asked.content as AsyncIterable<Buffer>) {
    bytes += piece.length;
    chunks += 1;
    hash.update(piece);
  }
  const timing = { first_byte_ms: 0.123, last_byte_ms: 0.123, duration_ms: 0.123 };
  const facts = { bytes_received: bytes, sha256: hash.digest('hex'), chunks, timing };
  return json({ method: asked.method, ...recordOf(asked, query), ...facts });
}

const handlers: Readonly<Record<string, Handle>> = {
  base64: (_asked, [operation = '', text]) =>
    text === undefined
      ? { type: TEXT, content: Buffer.from(operation, 'base64') }
      : { type: TEXT, content: Buffer.from(decodeURIComponent(text)).toString('base64') },
  stream: (asked, [n], query) => lines(Number(n), asked, query),
  'stream-bytes': (_asked, [n]) => ({
    type: 'application/octet-stream',
    content: [keystream.update(Buffer.alloc(Number(n)))],
  }),
  links: (_asked, [n = '', offset]) => {
    if (offset === undefined) return redirect(`/links/${n}/0`);
    let found = '';
    for (let at = 0; at < Number(n); at += 1) {
      found += at === Number(offset) ? `${at} ` : `<a href="/links/${n}/${at}">${at}</a> `;
    }
    const content = `<html><head><title>Links</title></head><body>${found}</body></html>`;
    return { type: HTML, content };
  },
  etag: (asked, [tag]) =>
    asked.headers['if-none-match'] === `"${tag}"`
      ? { status: 304, fields: { etag: `"${tag}"` }, content: [] }
      : { ...json(echoOf(asked)), fields: { etag: `"${tag}"` } },
  'basic-auth': ({ headers }, [user, password]) =>
    Buffer.from((headers.authorization ?? '').slice(6), 'base64').toString() ===
    `${user}:${password}`
      ? json({ authenticated: true, authorized: true, user })
      : refusal(
          401,
          'The credentials are missing or not valid',
          'the credentials must be the user and password in the path',
          'Basic realm="wirebin", charset="UTF-8"',
        ),
  'hidden-basic-auth': () =>
    refusal(404, 'The path does not exist', 'there is no such resource without the creden'),
  bearer: ({ headers: { authorization = '' } }) =>
    json({ authenticated: true, token: authorization.slice('Bearer '.length) }),
  'digest-auth': () =>
    refusal(
      401,
      'The credentials are missing or not valid',
      'the request has no Digest credentials',
      `Digest realm="wirebin", qop="auth", algorithm=MD5, nonce="${randomBytes(32).toString('base64url')}", opaque="wirebin", charset=UTF-8`,
    ),
  sse: () => ({
    type: 'text/event-stream',
    content: [`event: ping\ndata: {"id":0,"timestamp":${Date.now()}}\n\n`],
  }),
  jsonl: (asked, _parts, query) => lines(Number(query.get('count')), asked, query),
  trailers: (asked, _parts, query) => ({
    ...json(echoOf(asked)),
    trailers: Object.fromEntries(query),
  }),
  dump: ({ method, target, rawHeaders, headers }) => {
    let head = headers[':path'] === undefined ? `${method} ${target} HTTP/1.1\r\n` : '';
    for (let at = 0; at < rawHeaders.length; at += 2) {
      head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
    }
    return { type: TEXT, content: `${head}\r\n` };
  },
  cookies: (_asked, [, name, value], query) => {
    const pairs = name === undefined ? [...query] : [[name, value]];
    return redirect(
      '/cookies',
      pairs.map(([key, text]) => `${key}=${text}; Path=/`),
    );
  },
  'redirect-to': (_asked, _parts, query) => redirect(query.get('url') ?? ''),
  'relative-redirect': (_asked, [n]) => redirect(`/relative-redirect/${Number(n) - 1}`),
  'absolute-redirect': ({ headers }, [n]) =>
    redirect(`http://${headers.host}/absolute-redirect/${Number(n) - 1}`),
  'response-headers': (_asked, _parts, query) => {
    const fields = Object.fromEntries(query);
    return { ...json(fields), fields };
  },
  encoding: () => ({ type: HTML, content: UTF8 }),
  forms: () => ({ type: HTML, content: FORM }),
  deny: () => ({ type: TEXT, content: DENY }),
  image: () => ({ type: 'image/png', content: IMAGE }),
  compressed: async (asked) => ({
    type: JSON_TYPE,
    fields: { 'content-encoding': 'gzip' },
    content: await compress(pretty(echoOf(asked))),
  }),
  upload: (asked, _parts, query) => upload(asked, query),
  drip: (_asked, _parts, query) => ({
    type: 'application/octet-stream',
    content: ['*'.repeat(Number(query.get('numbytes')))],
  }),
  unstable: (_asked, _parts, query) => ({
    status: Math.random() < Number(query.get('failure_rate')) ? 500 : 200,
    type: TEXT,
    content: '',
  }),
  head: (asked) => json(echoOf(asked)),
  hostname: () => json({ hostname: machine }),
  env: () => json({ env: environment }),
};

export function answer(asked: Asked): Answer | Promise<Answer> {
  const { target } = asked;
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const [, segment = '', ...parts] = path.split('/');
  const query = new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
  return handlers[segment]?.(asked, parts, query) ?? { status: 404, content: '' };
}
