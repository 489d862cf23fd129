import { invalid, needMore, type ProxyParseResult } from './header.ts';
import { parseVersion1, V1_START } from './version1.ts';
import { parseVersion2, V2_START } from './version2.ts';

/** Whether a connection may or must start with a PROXY header. */
export const PROXY_PROTOCOL = ['off', 'optional', 'require'] as const;
export type ProxyProtocol = (typeof PROXY_PROTOCOL)[number];

const VERSIONS = [
  { start: V1_START, parse: parseVersion1 },
  { start: V2_START, parse: parseVersion2 },
];

/** Parses the PROXY header at the start of a connection. */
export function parseProxyHeader(bytes: Uint8Array): ProxyParseResult {
  let isPrefix = false;
  for (const { start, parse } of VERSIONS) {
    const length = Math.min(bytes.length, start.length);
    if (start.compare(bytes, 0, length, 0, length) !== 0) continue;
    if (length === start.length) return parse(bytes);
    isPrefix = true;
  }
  return isPrefix ? needMore(bytes.length + 1) : invalid('missing');
}
