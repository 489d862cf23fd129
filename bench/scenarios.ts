export const protocols = ['http/1.1', 'https/1.1', 'h2c', 'h2'] as const;
export type Protocol = (typeof protocols)[number];

/** What the content of an answer has to be. */
export type Content =
  | { readonly kind: 'any' }
  | { readonly kind: 'text'; readonly text: string }
  /** A JSON object that has the request's method. */
  | { readonly kind: 'echo' }
  | { readonly kind: 'random' }
  /** Byte i is 'a' + i mod 26, from this offset on. */
  | { readonly kind: 'pattern'; readonly offset: number };

/** One thing to measure: a request, the answer it has to have, and how hard to ask. */
export interface Scenario {
  readonly name: string;
  readonly protocol: Protocol;
  readonly path: string;
  /** The Range field, where the request has one. */
  readonly range?: string;
  readonly status: number;
  /** Bytes of the content, undefined where they are the server's choice. */
  readonly length: number | undefined;
  readonly content: Content;
  readonly connections: number;
  /** Requests at once on each connection, on HTTP/2. */
  readonly streams: number;
  /** Whether each request makes a connection of its own. */
  readonly handshakes?: boolean;
}

type Request = Pick<Scenario, 'path' | 'range' | 'status' | 'length' | 'content'>;

const SIZES = [1024, 102_400, 1024 ** 2, 10 * 1024 ** 2];
const RANGE_SIZES = [1024, 1024 ** 2, 10 * 1024 ** 2];

/** Every request of the suite; the Range field asks for the middle half. */
export const requests: readonly Request[] = [
  { path: '/healthz', status: 200, length: 2, content: { kind: 'text', text: 'OK' } },
  { path: '/anything', status: 200, length: undefined, content: { kind: 'echo' } },
  ...SIZES.map((size): Request => {
    return { path: `/bytes/${size}`, status: 200, length: size, content: { kind: 'random' } };
  }),
  ...RANGE_SIZES.flatMap((size): Request[] => {
    const path = `/range/${size}`;
    const [first, last] = [size / 4, (size / 4) * 3 - 1];
    const part = { path, range: `bytes=${first}-${last}`, status: 206, length: size / 2 };
    return [
      { path, status: 200, length: size, content: { kind: 'pattern', offset: 0 } },
      { ...part, content: { kind: 'pattern', offset: first } },
    ];
  }),
];

/** Enough at once to keep a core busy; large answers need few, and many would measure queues. */
function concurrency(length: number, protocol: Protocol): [connections: number, streams: number] {
  if (protocol === 'http/1.1' || protocol === 'https/1.1') return [length < 512 * 1024 ? 32 : 8, 1];
  if (length < 32 * 1024) return [16, 32];
  return length < 512 * 1024 ? [8, 8] : [4, 2];
}

function scenario(protocol: Protocol, request: Request): Scenario {
  const [connections, streams] = concurrency(request.length ?? 0, protocol);
  const name = `${protocol} ${request.path}${request.range === undefined ? '' : ' part'}`;
  return { name, protocol, ...request, connections, streams };
}

/** New TLS connections, each for one HTTP/2 request. */
const handshakes: Scenario = {
  name: 'h2 handshakes',
  protocol: 'h2',
  path: '/healthz',
  status: 200,
  length: 2,
  content: { kind: 'text', text: 'OK' },
  connections: 200,
  streams: 1,
  handshakes: true,
};

export const scenarios: readonly Scenario[] = [
  ...protocols.flatMap((protocol) => requests.map((request) => scenario(protocol, request))),
  handshakes,
];

/**
 * @param filter comma-separated; a scenario is taken when its name contains any of them, a number
 *   in it whole: 1024 is not found in 10240
 */
export function filtered<Named extends { readonly name: string }>(
  all: readonly Named[],
  filter: string | undefined,
): Named[] {
  const wanted = filter?.split(',') ?? [''];
  return all.filter(({ name }) => wanted.some((part) => contains(name, part)));
}

function contains(name: string, part: string): boolean {
  const at = name.indexOf(part);
  return at >= 0 && !/^\d{2}$/.test(name.slice(at + part.length - 1, at + part.length + 1));
}
