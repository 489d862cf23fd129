import { randomBytes } from 'node:crypto';
import type { ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldLines } from '../../src/check/client/http1-message.ts';
import { listOf, type FieldLine } from '../../src/check/message.ts';
import { ByteReader, ContentReader, parseField } from './_bytes.ts';
import type { Forwarder } from './_gateway.ts';
import { grouped, write } from './_gateway-writing.ts';
import { responseFraming } from './_gateway-framing.ts';
import type { ClientRequest } from './_gateway-messages.ts';

/** What a gateway does wrong with Upgrade. */
export interface UpgradeDeviation {
  /** Fields of 101 that it drops, in lower case. */
  readonly drops?: readonly string[];
  /** Whether it drops what the origin has sent right after 101. */
  readonly dropsFirst?: boolean;
  /** Whether it leaves the connection of the client open when the origin closes. */
  readonly keepsOpen?: boolean;
  /** Whether it takes any response for 101. */
  readonly ignoresStatus?: boolean;
  /** Changes bytes of the origin after 101. */
  readonly change?: (piece: Buffer) => Buffer;
  /** Changes bytes of the client after 101. */
  readonly changeSent?: (piece: Buffer) => Buffer;
  /** Milliseconds after which it closes the connection of the client. */
  readonly closesAfter?: number;
  /** Fields of the request that it drops, in lower case. */
  readonly dropsSent?: readonly string[];
  /** Changes the value of a field of the request. */
  readonly sentValue?: (value: string, name: string) => string;
  /** Changes the value of a field of 101. */
  readonly value?: (value: string, name: string) => string;
  /** Milliseconds for which it leaves a connection open after the other has ended. */
  readonly endsAfter?: number;
  /** Whether it leaves the connection to the origin open when the client closes or resets its own. */
  readonly keepsOrigin?: 'closed' | 'reset';
  /** What it does wrong with extended CONNECT of HTTP/2, which it offers. */
  readonly connect?: Pick<UpgradeDeviation, 'drops' | 'changeSent' | 'keepsOrigin'>;
}

export function isWebSocket({ fields }: ClientRequest): boolean {
  return listOf(fields, 'upgrade').includes('websocket');
}

/** Forwards a request with Upgrade, and bytes after 101. @returns whether another request may follow */
export async function forwardUpgrade(
  client: Duplex,
  reader: ByteReader,
  { method, target, authority, fields }: ClientRequest,
  forwarder: Pick<Forwarder, 'connect'>,
  deviation: UpgradeDeviation,
): Promise<boolean> {
  const { drops = [], dropsSent = [], dropsFirst = false, ignoresStatus = false } = deviation;
  const origin = forwarder.connect();
  const back = new ByteReader(origin);
  const rest = fields.filter(([name]) => !['host', ...dropsSent].includes(name.toLowerCase()));
  const { sentValue = (each) => each, value = (each) => each, endsAfter = 0 } = deviation;
  const sent: FieldLine[] = [['Host', authority], ...mapped(rest, sentValue)];
  const request = `${method} ${target} HTTP/1.1\r\n${fieldLines(sent)}\r\n`;
  const { line, status, fields: received } = await askOrigin(origin, back, request);
  const head = received.filter(([name]) => !drops.includes(name.toLowerCase()));
  const kept = status === 101 ? head : head.filter(([name]) => !/^connection$/i.test(name));
  await write(client, Buffer.from(`${line}\r\n${fieldLines(mapped(kept, value))}\r\n`));
  let [other, from] = [origin, back];
  if (status !== 101) {
    const content = new ContentReader(back, responseFraming(method, status, head));
    for (let piece; (piece = await content.next()) !== undefined;) await write(client, piece);
    origin.destroy();
    if (!ignoresStatus) return true;
    // The origin has closed its connection.
    other = forwarder.connect();
    from = new ByteReader(other);
    // Only there the origin sends something by itself.
  } else if (dropsFirst && target.startsWith('/raw')) await from.some(Infinity);
  const { changeSent, keepsOrigin, closesAfter } = deviation;
  const timer = closesAfter && setTimeout(() => client.destroy(), closesAfter);
  await Promise.all([
    forward(from, client, deviation.change, () => deviation.keepsOpen !== true, endsAfter),
    forward(
      reader,
      other,
      changeSent,
      () => keepsOrigin !== (reader.isReset ? 'reset' : 'closed'),
      endsAfter,
    ),
  ]);
  clearTimeout(timer);
  other.destroy();
  return false;
}

/** Sends a request with Upgrade. @returns the head of its response @throws Truncated without one */
async function askOrigin(
  origin: Duplex,
  back: ByteReader,
  request: string,
): Promise<{ line: string; status: number; fields: FieldLine[] }> {
  try {
    await write(origin, Buffer.from(request));
    const [line = '', ...lines] = await back.section();
    const fields = lines.map((each) => parseField(each));
    return { line, status: Number(line.split(' ')[1]), fields };
  } catch (error) {
    origin.destroy();
    throw error;
  }
}

const OF_UPGRADE = ['connection', 'upgrade', 'sec-websocket-accept'];

/** Forwards extended CONNECT as Upgrade (RFC 8441 5), and bytes after 101. */
export async function forwardConnect(
  stream: ServerHttp2Stream,
  { target, authority, fields }: Pick<ClientRequest, 'target' | 'authority' | 'fields'>,
  forwarder: Pick<Forwarder, 'connect'>,
  { drops = [], changeSent, keepsOrigin }: NonNullable<UpgradeDeviation['connect']>,
): Promise<void> {
  const origin = forwarder.connect();
  const back = new ByteReader(origin);
  const reader = new ByteReader(stream);
  const sent: FieldLine[] = [
    ['Host', authority],
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Key', randomBytes(16).toString('base64')],
    ...fields.filter(([name]) => name !== 'host'),
  ];
  const request = `GET ${target} HTTP/1.1\r\n${fieldLines(sent)}\r\n`;
  const { status, fields: received } = await askOrigin(origin, back, request);
  const head = received.filter(([name]) => ![...OF_UPGRADE, ...drops].includes(name.toLowerCase()));
  // The client may have reset the stream meanwhile.
  if (stream.destroyed || status !== 101) {
    if (!stream.destroyed) stream.respond({ ':status': status }, { endStream: true });
    origin.destroy();
    return;
  }
  stream.respond({ ':status': 200, ...grouped(head) });
  const ends = (): boolean => keepsOrigin !== (stream.rstCode === 0 ? 'closed' : 'reset');
  await Promise.all([
    forward(back, stream, undefined, () => true, 0),
    forward(reader, origin, changeSent, ends, 0),
  ]);
  origin.destroy();
}

/** Forwards bytes until they end. @param ends whether the other connection ends as well */
async function forward(
  from: ByteReader,
  to: Duplex,
  change: ((piece: Buffer) => Buffer) | undefined,
  ends: () => boolean,
  endsAfter: number,
): Promise<void> {
  for (let piece; (piece = await from.some(Infinity)) !== undefined;) {
    await write(to, change?.(piece) ?? piece);
  }
  if (endsAfter > 0) await sleep(endsAfter);
  if (ends()) to.end();
}

const mapped = (
  fields: readonly FieldLine[],
  change: (value: string, name: string) => string,
): FieldLine[] => fields.map(([name, value]) => [name, change(value, name.toLowerCase())]);
