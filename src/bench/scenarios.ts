import { createHash } from 'node:crypto';
import type { FieldLine } from '../check/message.ts';
import { parseObject } from '../check/origin.ts';

/** A kind of request for a load. */
export interface Scenario {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Further field lines; names in lower case. */
  readonly fields?: readonly FieldLine[];
  readonly content?: Buffer;
  /** Expected status. Default: 200. */
  readonly status?: number;
  /** Whether each request opens a new connection. */
  readonly opensConnections: boolean;
  /** Whether the response content is right. */
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
    // The content includes the duration of the upload.
    isFixedLength: false,
  },
  { ...healthz, id: 'connections', opensConnections: true },
];

/** Describes the request of a scenario. */
export function requestText({ method, path, content, opensConnections }: Scenario): string {
  return [
    `${method} ${path}`,
    ...(content ? [` with ${content.length} bytes`] : []),
    ...(opensConnections ? [', each on a new connection'] : []),
  ].join('');
}
