import { createHash } from 'node:crypto';
import type { FieldLine } from '../check/message.ts';
import { parseObject } from '../check/origin.ts';

/** What is requested under load. */
export interface Scenario {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Field lines of its own; names in lower case. */
  readonly fields?: readonly FieldLine[];
  readonly content?: Buffer;
  /** Of the response. Default: 200. */
  readonly status?: number;
  /** Whether each request opens a connection. */
  readonly opensConnections: boolean;
  /** Whether the content of the response is that of a wirebin. */
  readonly isContent: (content: Buffer) => boolean;
  /** Whether all responses have the same length. */
  readonly isFixedLength: boolean;
}

const KiB64 = 64 * 1024;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const PATTERN = Buffer.alloc(KiB64, ALPHABET);
const PATTERN_SHA256 = createHash('sha256').update(PATTERN).digest('hex');

const healthz = {
  id: 'healthz',
  method: 'GET',
  path: '/healthz',
  opensConnections: false,
  isContent: (content: Buffer) => content.toString('latin1') === 'OK',
  isFixedLength: true,
} as const;

/** All scenarios, in the order in which they are measured. */
export const scenarios: readonly Scenario[] = [
  healthz,
  {
    id: 'range-64k',
    method: 'GET',
    path: `/range/${KiB64}`,
    opensConnections: false,
    isContent: (content) => content.equals(PATTERN),
    isFixedLength: true,
  },
  {
    id: 'upload-64k',
    method: 'POST',
    path: '/upload',
    content: PATTERN,
    opensConnections: false,
    isContent: (content) => parseObject(content.toString())?.['sha256'] === PATTERN_SHA256,
    // It has the time that the upload took.
    isFixedLength: false,
  },
  { ...healthz, id: 'connections', opensConnections: true },
];

/** What a scenario sends, in words. */
export function requestText({ method, path, content, opensConnections }: Scenario): string {
  return [
    `${method} ${path}`,
    ...(content ? [` with ${content.length} bytes`] : []),
    ...(opensConnections ? [', each on a new connection'] : []),
  ].join('');
}
