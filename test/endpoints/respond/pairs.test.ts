import type { ClientHttp2Session } from 'node:http2';
import { connectHttp2 } from '../../../src/net/http2-sessions.ts';
import { describe, expect, test } from 'vitest';
import { isHttp2, isSecure, transports } from '../../_client.ts';
import { observe } from '../../_ending.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { FrameClient, get } from '../../_frames.ts';
import { GET, LAST } from '../../_raw.ts';
import { fieldsOf } from '../../protocols/http2/faults/_observed.ts';
import { everyNth } from '../../_whole.ts';
import { Oracle, pairs, type Seen } from './_described.ts';

/** Requests at a time. */
const AT_ONCE = 20;

/** What comes of a request on HTTP/1.1, read byte by byte. */
async function http1(port: number, target: string, secure: boolean): Promise<Seen> {
  const { tcp, socket, received, ended } = observe(port, secure);
  socket.write(GET(target, LAST), 'latin1');
  await ended;
  tcp.destroy();
  let rest = received().toString('latin1');
  const interim: number[] = [];
  for (;;) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const [first = '', ...lines] = rest.slice(0, Math.max(0, end - 4)).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
    const fields = lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    });
    if (status === 0) {
      return {
        interim,
        status,
        fields: [],
        content: bytesOf(rest),
        trailers: [],
        isWhole: false,
      };
    }
    rest = rest.slice(end);
    if (status >= 200 && target.includes('garbage')) {
      return { interim, status, fields, content: bytesOf(rest), trailers: [], isWhole: false };
    }
    if (status >= 200) return { interim, status, fields, ...contentOf(fields, status, rest) };
    interim.push(status);
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function contentOf(fields: Seen['fields'], status: number, rest: string) {
  const find = (wanted: string) => fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (status === 204) return { content: bytesOf(rest), trailers: [], isWhole: true };
  if (find('transfer-encoding') !== 'chunked') {
    const length = find('content-length');
    const isWhole = length === undefined || Number(length) === rest.length;
    return { content: bytesOf(rest), trailers: [], isWhole };
  }
  let text = '';
  for (let at = 0; ;) {
    const [line = '', digits = ''] = /^([\da-f]+)\r\n/.exec(rest.slice(at)) ?? [];
    const size = Number.parseInt(digits, 16);
    at += line.length;
    if (!(size > 0)) {
      const trailers = rest.slice(at).split('\r\n').slice(0, -2);
      const lower = trailers.map((trailer) => trailer.toLowerCase());
      return { content: bytesOf(text), trailers: lower, isWhole: size === 0 };
    }
    text += rest.slice(at, at + size);
    at += size + 2;
  }
}

/** What comes of a request on HTTP/2. */
function http2(session: ClientHttp2Session, target: string): Promise<Seen> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': target });
    const pieces: Buffer[] = [];
    const interim: number[] = [];
    let status = 0;
    let isEnded = false;
    let fields: [string, string][] = [];
    let trailers: string[] = [];
    stream.on('headers', (headers) => interim.push(Number(headers[':status'])));
    // Node's types lack the last argument: all names and values as they came.
    stream.on('response', (...[headers, , raw]: [Record<string, unknown>, number, string[]?]) => {
      status = Number(headers[':status']);
      const lines = raw ?? [];
      fields = lines.flatMap((name, at): [string, string][] =>
        at % 2 === 0 && !name.startsWith(':') ? [[name, lines[at + 1] ?? '']] : [],
      );
    });
    stream.on('trailers', (headers) => {
      trailers = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => (isEnded = true));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      const content = Buffer.concat(pieces);
      const length = fields.find(([name]) => name === 'content-length')?.[1];
      const isWhole =
        isEnded &&
        stream.rstCode === 0 &&
        (length === undefined || Number(length) === content.length);
      resolve({ interim, status, fields, content, trailers, isWhole });
    });
  });
}

/** What comes on HTTP/2 of a request for garbage, and the bytes that are no frames: a session would show an error. */
async function garbage(port: number, target: string, secure: boolean): Promise<Seen> {
  const { tcp, socket, received, ended } = observe(port, secure, 'h2');
  const client = new FrameClient(socket);
  client.send(get(1, target));
  await ended;
  tcp.destroy();
  const framed = client.frames.reduce((sum, { payload }) => sum + 9 + payload.length, 0);
  const sections = fieldsOf(client);
  const statuses = sections.map(([status]) => Number(status?.[1]));
  const isFinal = (statuses.at(-1) ?? 0) >= 200;
  return {
    interim: statuses.filter((status) => status < 200),
    status: isFinal ? (statuses.at(-1) ?? 0) : 0,
    fields: isFinal ? (sections.at(-1)?.slice(1) ?? []) : [],
    content: received().subarray(framed),
    trailers: [],
    isWhole: false,
  };
}

const queries = pairs();

describe.each(transports)('every pair of parameters over %s', (transport) => {
  const { running } = sharedPlace(transport);
  const secure = isSecure(transport);

  /** Faults and Connection: close end connections, so that these have one of their own. */
  const ask = async (shared: ClientHttp2Session, target: string): Promise<Seen> => {
    if (!isHttp2(transport)) return http1(running().port, target, secure);
    if (!target.includes('fault=')) return http2(shared, target);
    const session = openSession();
    const seen = await http2(session, target);
    session.destroy();
    return seen;
  };
  const openSession = (): ClientHttp2Session => {
    const origin = `${secure ? 'https' : 'http'}://127.0.0.1:${running().port}`;
    const session = connectHttp2(origin, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    return session;
  };

  test('has the response that it describes, or 400 that names both', async () => {
    const chosen = secure ? everyNth(4, queries, isHttp2(transport) ? 1 : 0) : queries;
    expect(chosen.length).toBeGreaterThan(150);
    const failed: string[] = [];
    const shared = openSession();
    const next = chosen[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (const query of next) {
        const target = `/respond?${query}`;
        const oracle = new Oracle(query, !isHttp2(transport));
        const wrong = oracle.contradictions();
        const isGarbage = oracle.isGarbage && wrong.length === 0 && isHttp2(transport);
        const seen = isGarbage
          ? await garbage(running().port, target, secure)
          : await ask(shared, target);
        try {
          if (wrong.length === 0) oracle.check(seen);
          else {
            expect(seen.status).toBe(400);
            const detail = seen.content.toString();
            expect(wrong.some((names) => names.every((name) => detail.includes(name)))).toBe(true);
          }
        } catch (error) {
          const came = { ...seen, content: seen.content.toString('latin1').slice(0, 300) };
          failed.push(`${query}: ${String(error)}: ${JSON.stringify(came)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    shared.destroy();
    expect(failed).toEqual([]);
  });
});
