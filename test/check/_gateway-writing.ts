import type { Writable } from 'node:stream';
import { fieldLines } from '../../src/check/client/http1-message.ts';
import { valuesOf, type FieldLine } from '../../src/check/message.ts';
import { Truncated } from './_bytes.ts';
import type { Stored } from './_cache.ts';
import type { Exchange, OriginRequest } from './_gateway-messages.ts';

/** RFC 9110 6.6.1. */
export function missingDate(fields: readonly FieldLine[]): FieldLine[] {
  return valuesOf(fields, 'date').length > 0 ? [] : [['Date', new Date().toUTCString()]];
}

/** RFC 9440 2. */
export function certificateFields([own, ...others]: readonly Buffer[]): FieldLine[] {
  if (!own) return [];
  const sequences = others.map((each) => `:${each.toString('base64')}:`);
  return [
    ['Client-Cert', `:${own.toString('base64')}:`],
    ...(sequences.length > 0 ? [['Client-Cert-Chain', sequences.join(', ')] as const] : []),
  ];
}

/** A response of the gateway itself. */
export function respond(exchange: Exchange, status: number): void {
  const content = Buffer.from(`${status} from the gateway\n`);
  const fields: FieldLine[] = [
    ['Content-Type', 'text/plain'],
    ['Content-Length', String(content.length)],
  ];
  const isHead = exchange.request.method === 'HEAD';
  exchange.sendHead({ status, fields }, isHead ? 'none' : { length: content.length });
  void exchange.send(content).then(() => exchange.end([]));
}

export function reuse(exchange: Exchange, { status, fields, content }: Stored): void {
  const isEmpty = status === 304 || exchange.request.method === 'HEAD';
  const lines = fields.filter(([name]) => !isOneOf(name, ['content-length']));
  if (!isEmpty) lines.push(['Content-Length', String(content.length)]);
  exchange.sendHead({ status, fields: lines }, isEmpty ? 'none' : { length: content.length });
  void exchange.send(content).then(() => exchange.end([]));
}

export function requestHead({
  method,
  target,
  version,
  host,
  fields,
  framing,
}: OriginRequest): Buffer {
  const lines: FieldLine[] = [['Host', host], ...fields];
  if (framing === 'chunked') lines.push(['Transfer-Encoding', 'chunked']);
  if (typeof framing === 'object') lines.push(['Content-Length', String(framing.length)]);
  return Buffer.from(`${method} ${target} ${version}\r\n${fieldLines(lines)}\r\n`, 'latin1');
}

export async function collected(
  content: Exchange['content'],
  endsTruncated = false,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for (let piece; (piece = await content.next()) !== undefined;) pieces.push(piece);
  } catch (error) {
    if (!endsTruncated || !(error instanceof Truncated)) throw error;
  }
  return Buffer.concat(pieces);
}

/** Writes, and waits until there is room for more. */
export async function write(stream: Writable, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || stream.destroyed || !stream.writable || stream.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stream.off('drain', end).off('close', end);
      resolve();
    };
    stream.on('drain', end).on('close', end);
  });
}

export function isOneOf(name: string, names: readonly string[]): boolean {
  return names.includes(name.toLowerCase());
}

/** Fields as node:http2 takes them. */
export function grouped(fields: readonly FieldLine[]): Record<string, string | string[]> {
  const names = [...new Set(fields.map(([name]) => name.toLowerCase()))];
  return Object.fromEntries(
    names.map((name) => {
      const values = valuesOf(fields, name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
