import { createHash } from 'node:crypto';
import type { FieldLine } from '../check/message.ts';
import { parseObject } from '../check/origin.ts';
import { counted } from '../check/words.ts';

/** A request of a load, and how its response is checked. */
export interface ScenarioRequest {
  readonly method: string;
  readonly path: string;
  /** Further field lines; names in lower case. */
  readonly fields?: readonly FieldLine[];
  readonly content?: Buffer;
  /** Whether the content is sent in chunks on HTTP/1.1, and without content-length on HTTP/2. */
  readonly isStreamed?: boolean;
  /** Whether it opens a WebSocket, whose messages have the content, and must come back. */
  readonly isWebSocket?: boolean;
  /** Expected status. Default: 200. */
  readonly status?: number;
  /** How often it is sent, beside the other requests. Default: 1. */
  readonly weight?: number;
  /** Whether the response content is right. */
  readonly isContent: (content: Buffer) => boolean;
}

/** A kind of load. */
export interface Scenario extends ScenarioRequest {
  readonly id: string;
  /** Whether each request opens a new connection. */
  readonly opensConnections: boolean;
  /** Whether connections resume TLS sessions. It is measured only over TLS. */
  readonly isResumed?: boolean;
  /** Whether it is measured only over HTTP/2. */
  readonly needsHttp2?: boolean;
  /** Whether all responses have the same length. */
  readonly isFixedLength: boolean;
  /** Whether the content of each response is compared with that of the first one. */
  readonly isHashed?: boolean;
  /** Maximum requests at the same time on an HTTP/2 connection. */
  readonly maxStreams?: number;
  /** Whether it is measured only if `--only` names it. */
  readonly isOnRequest?: boolean;
  /** Further requests. */
  readonly others?: readonly ScenarioRequest[];
}

const KiB64 = 64 * 1024;
const MiB = 1024 * 1024;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const EVENTS = 100;

/** With many streams, each would take so long that few end within a round. */
const LARGE = { maxStreams: 2, isOnRequest: true } as const;

const pattern = (length: number): Buffer => Buffer.alloc(length, ALPHABET);

const healthz = {
  id: 'healthz',
  method: 'GET',
  path: '/healthz',
  opensConnections: false,
  isContent: (content: Buffer) => content.toString('latin1') === 'OK',
  isFixedLength: true,
} as const;

function download(id: string, length: number): Scenario {
  const expected = pattern(length);
  return {
    id,
    method: 'GET',
    path: `/range/${length}`,
    opensConnections: false,
    isContent: (content) => content.equals(expected),
    isFixedLength: true,
  };
}

function upload(id: string, length: number): Scenario {
  const content = pattern(length);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return {
    id,
    method: 'POST',
    path: '/upload',
    content,
    opensConnections: false,
    isContent: (echo) => parseObject(echo.toString())?.['sha256'] === sha256,
    // The content includes the duration of the upload.
    isFixedLength: false,
  };
}

/** 16 field lines of 64 bytes. */
const FIELDS: readonly FieldLine[] = Array.from({ length: 16 }, (_, at) => {
  const name = `x-bench-${at + 10}`;
  return [name, ALPHABET.repeat(2).slice(0, 64 - name.length - ': \r\n'.length)];
});

const anything: Scenario = {
  id: 'anything',
  method: 'GET',
  path: '/anything',
  fields: FIELDS,
  opensConnections: false,
  isContent: (content) => FIELDS.every(([, value]) => content.includes(`"${value}"`)),
  // It includes what proxies add, such as an identifier of the request.
  isFixedLength: false,
  isOnRequest: true,
};

const sse: Scenario = {
  id: 'sse',
  method: 'GET',
  path: `/sse?count=${EVENTS}&duration=0`,
  fields: [['accept', 'text/event-stream']],
  opensConnections: false,
  isContent: (content) => content.toString('latin1').split('event: ping\n').length === EVENTS + 1,
  isFixedLength: true,
  isOnRequest: true,
};

/** A length-prefixed message without content. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** A unary call. One that fails has no message. */
const grpc: Scenario = {
  id: 'grpc',
  method: 'POST',
  path: '/grpc.testing.TestService/EmptyCall',
  fields: [
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ],
  content: EMPTY_MESSAGE,
  needsHttp2: true,
  opensConnections: false,
  isContent: (content) => content.equals(EMPTY_MESSAGE),
  isFixedLength: true,
  isOnRequest: true,
};

/** All scenarios, in the order in which they are measured. */
export const scenarios: readonly Scenario[] = [
  healthz,
  download('range-64k', KiB64),
  upload('upload-64k', KiB64),
  { ...healthz, id: 'connections', opensConnections: true },
  {
    ...healthz,
    id: 'connections-resumed',
    opensConnections: true,
    isResumed: true,
    isOnRequest: true,
  },
  anything,
  { ...download('download-1m', MiB), ...LARGE },
  { ...upload('upload-1m', MiB), ...LARGE, isStreamed: true },
  sse,
  grpc,
  {
    id: 'websocket',
    method: 'GET',
    path: '/websocket/echo',
    content: pattern(64),
    isWebSocket: true,
    opensConnections: false,
    isContent: () => true,
    isFixedLength: false,
    isOnRequest: true,
  },
];

/** Describes the requests of a scenario. */
export function requestText(scenario: Scenario): string {
  const { opensConnections, isResumed = false, isHashed = false, others = [] } = scenario;
  return [
    [scenario, ...others].map((request) => textOf(request, others.length > 0)).join('; '),
    opensConnections ? ', each on a new connection' : '',
    isResumed ? ' that resumes a TLS session' : '',
    isHashed ? ', compared by SHA-256' : '',
  ].join('');
}

/** Names and values of fields. */
const bytesOf = (fields: readonly FieldLine[]): number =>
  fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);

function textOf(request: ScenarioRequest, isWeighted: boolean): string {
  const {
    method,
    path,
    fields = [],
    content,
    isStreamed = false,
    weight = 1,
    status = 200,
  } = request;
  if (request.isWebSocket === true) {
    return `messages of ${content?.length ?? 0} bytes on WebSockets at ${path}`;
  }
  return [
    isWeighted ? `${weight} ` : '',
    `${method} ${path}`,
    content ? ` with ${content.length} bytes` : '',
    isStreamed ? ', streamed' : '',
    fields.length > 0
      ? `, with ${counted(fields.length, 'field')} of ${bytesOf(fields)} bytes`
      : '',
    status === 200 ? '' : `, for ${status}`,
  ].join('');
}
