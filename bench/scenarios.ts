import type { Scenario as Request } from '../src/bench/scenarios.ts';
import type { FieldLine } from '../src/check/message.ts';

export const protocols = ['http/1.1', 'https/1.1', 'h2c', 'h2'] as const;
export type Protocol = (typeof protocols)[number];

/** One thing to measure: a request, the response it has to have, and how hard to ask. */
export interface Scenario extends Request {
  readonly protocol: Protocol;
  readonly connections: number;
  /** Requests at once on each connection, on HTTP/2. */
  readonly streams: number;
}

type Named = Omit<Scenario, 'id' | 'protocol' | 'connections' | 'streams'>;

/** A GET whose response has so many bytes of content; undefined if they are the server's choice. */
function get(path: string, length: number | undefined, isContent: (content: Buffer) => boolean) {
  const isRight = (content: Buffer): boolean =>
    (length === undefined || content.length === length) && isContent(content);
  return {
    method: 'GET' as const,
    path,
    opensConnections: false,
    isContent: isRight,
    isFixedLength: length !== undefined,
    length: length ?? 0,
  };
}

const isEcho = (content: Buffer): boolean =>
  /^\s*\{[^]*"method":\s*"GET"[^]*\}\s*$/.test(content.toString());

const isRandom = (content: Buffer): boolean => new Set(content).size > 200;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Byte i is 'a' + i mod 26, from this offset on. */
function isPattern(offset: number): (content: Buffer) => boolean {
  const letters = LETTERS.slice(offset % 26) + LETTERS.slice(0, offset % 26);
  return (content) => content.equals(Buffer.alloc(content.length, letters));
}

/** The Range field asks for the middle half. */
function part(size: number) {
  const [first, last] = [size / 4, (size / 4) * 3 - 1];
  const fields: readonly FieldLine[] = [['range', `bytes=${first}-${last}`]];
  return { ...get(`/range/${size}`, size / 2, isPattern(first)), fields, status: 206 };
}

export const SIZES = [1024, 102_400, 1024 ** 2, 10 * 1024 ** 2];
export const RANGE_SIZES = [1024, 1024 ** 2, 10 * 1024 ** 2];

const healthz = get('/healthz', 2, (content) => content.toString() === 'OK');

const requests: readonly (Named & { readonly length: number })[] = [
  healthz,
  get('/anything', undefined, isEcho),
  ...SIZES.map((size) => get(`/bytes/${size}`, size, isRandom)),
  ...RANGE_SIZES.flatMap((size) => [get(`/range/${size}`, size, isPattern(0)), part(size)]),
];

/** Enough at once to keep a core busy; large responses need few, and many would measure queues. */
function concurrency(length: number, protocol: Protocol): [connections: number, streams: number] {
  if (protocol === 'http/1.1' || protocol === 'https/1.1') return [length < 512 * 1024 ? 32 : 8, 1];
  if (length < 32 * 1024) return [16, 32];
  return length < 512 * 1024 ? [8, 8] : [4, 2];
}

function scenario(protocol: Protocol, request: (typeof requests)[number]): Scenario {
  const [connections, streams] = concurrency(request.length, protocol);
  const id = `${protocol} ${request.path}${request.status === 206 ? ' part' : ''}`;
  return { ...request, id, protocol, connections, streams };
}

export const scenarios: readonly Scenario[] = [
  ...protocols.flatMap((protocol) => requests.map((request) => scenario(protocol, request))),
  // New TLS connections, each for one HTTP/2 request: more at once would only queue.
  {
    ...healthz,
    id: 'h2 handshakes',
    protocol: 'h2',
    opensConnections: true,
    connections: 16,
    streams: 1,
  },
];

/**
 * @param filter comma-separated; a scenario is taken when its name contains any of them, a number
 *   in it whole: 1024 is not found in 10240
 */
export function filtered(all: readonly Scenario[], filter = ''): Scenario[] {
  return all.filter(({ id }) => filter.split(',').some((text) => contains(id, text)));
}

function contains(name: string, text: string): boolean {
  const at = name.indexOf(text);
  return at >= 0 && !/^\d{2}$/.test(name.slice(at + text.length - 1, at + text.length + 1));
}
