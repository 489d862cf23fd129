import { canonicalAddress } from '../../http/ip-address.ts';
import { invalid, needMore, type ProxyHeader, type ProxyParseResult } from './header.ts';

/** The start of a version 1 line. */
export const V1_START = Buffer.from('PROXY ', 'latin1');

/** Maximum bytes of a line, including CRLF (proxy-protocol.txt 2.1). */
const MAX_LINE = 107;
const CRLF = '\r\n';

const UNKNOWN: ProxyHeader = {
  version: 1,
  command: 'PROXY',
  family: 'unspec',
  transport: 'unspec',
  source: undefined,
  destination: undefined,
  tlvs: [],
};

/** Parses bytes that begin with `V1_START`. */
export function parseVersion1(bytes: Uint8Array): ProxyParseResult {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_LINE));
  const text = start.toString('latin1');
  const end = text.indexOf(CRLF);
  const line = end < 0 ? text : text.slice(0, end);
  const [, family, ...rest] = line.split(' ');
  // Before CRLF arrives as well: the reason must not depend on how the bytes arrive.
  if (family !== 'UNKNOWN' && line.includes('\n')) return invalid('v1-line');
  if (end < 0) {
    return text.length < MAX_LINE ? needMore(text.length + 1) : invalid('v1-too-long');
  }
  const length = end + CRLF.length;
  // The rest of the line must be ignored after UNKNOWN.
  if (family === 'UNKNOWN') return { kind: 'header', header: UNKNOWN, length };
  if (family !== 'TCP4' && family !== 'TCP6') return invalid('v1-family');
  const [sourceAddress, destinationAddress, sourcePort, destinationPort, ...extra] = rest;
  if (sourcePort === undefined || destinationPort === undefined || extra.length > 0) {
    return invalid('v1-line');
  }
  const from = parseAddress(family, sourceAddress);
  const to = parseAddress(family, destinationAddress);
  if (from === undefined || to === undefined) return invalid('v1-address');
  const fromPort = parsePort(sourcePort);
  const toPort = parsePort(destinationPort);
  if (fromPort === undefined || toPort === undefined) return invalid('v1-port');
  const header: ProxyHeader = {
    ...UNKNOWN,
    family: family === 'TCP4' ? 'inet' : 'inet6',
    transport: 'stream',
    source: { address: from, port: fromPort },
    destination: { address: to, port: toPort },
  };
  return { kind: 'header', header, length };
}

function parseAddress(family: 'TCP4' | 'TCP6', text = ''): string | undefined {
  return text.includes(':') === (family === 'TCP6') ? canonicalAddress(text) : undefined;
}

/** Parses a port. Leading zeros are invalid, because they could be read as octal. */
function parsePort(text: string): number | undefined {
  const port = /^(?:0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Infinity;
  return port <= 65_535 ? port : undefined;
}
