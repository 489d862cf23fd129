import type { Scenario } from '../scenarios.ts';

/** A request to an endpoint that stands in for one of httpbin's or go-httpbin's. */
interface Endpoint {
  readonly path: string;
  readonly fields?: Scenario['fields'];
  /** Bytes of content, all of them `x`. */
  readonly upload?: number;
  readonly status?: number;
  readonly protocols?: readonly ('http/1.1' | 'h2c')[];
}

const both = ['http/1.1', 'h2c'] as const;

const endpoints: readonly Endpoint[] = [
  { path: '/base64/encode/some+text+of+mine' },
  { path: '/base64/c29tZSB0ZXh0IG9mIG1pbmU=', protocols: both },
  { path: '/stream/5', protocols: both },
  { path: '/stream-bytes/10240', protocols: both },
  { path: '/links/10', status: 302 },
  { path: '/links/10/0' },
  { path: '/etag/v1', protocols: both },
  { path: '/etag/v1', fields: [['if-none-match', '"v1"']], status: 304 },
  {
    path: '/basic-auth/user/password',
    fields: [['authorization', 'Basic dXNlcjpwYXNzd29yZA==']],
  },
  { path: '/basic-auth/user/password', status: 401 },
  { path: '/hidden-basic-auth/user/password', status: 404 },
  { path: '/bearer', fields: [['authorization', 'Bearer abcdef']] },
  { path: '/digest-auth/auth/user/password', status: 401, protocols: both },
  { path: '/sse?count=1&duration=0' },
  { path: '/jsonl?count=5' },
  { path: '/trailers?X-A=b', protocols: both },
  { path: '/dump/request', protocols: both },
  { path: '/cookies/set?a=b&c=d', status: 302 },
  { path: '/cookies/set/a/b', status: 302 },
  { path: '/redirect-to?url=/get', status: 302, protocols: both },
  { path: '/relative-redirect/3', status: 302 },
  { path: '/absolute-redirect/3', status: 302 },
  { path: '/response-headers?X-A=b', protocols: both },
  { path: '/encoding/utf8' },
  { path: '/forms/post' },
  { path: '/deny' },
  { path: '/image', fields: [['accept', 'image/png,*/*;q=0.5']] },
  { path: '/compressed', fields: [['accept-encoding', 'gzip']] },
  { path: '/upload', upload: 5 },
  { path: '/upload', upload: 10 * 1024 ** 2 },
  { path: '/drip?duration=0&numbytes=10' },
  { path: '/unstable?failure_rate=0' },
  { path: '/head' },
  { path: '/hostname' },
  { path: '/env' },
];

/** Its name has what is special of it. */
function scenario(
  { path, fields, upload, status }: Endpoint,
  protocol: Scenario['protocol'],
): Scenario {
  const more = [upload === undefined ? undefined : `POST ${upload}`, fields?.[0]?.[0], status];
  return {
    id: [protocol, path, ...more.filter((word) => word !== undefined)].join(' '),
    protocol,
    method: upload === undefined ? 'GET' : 'POST',
    path,
    ...(fields && { fields }),
    ...(upload !== undefined && { content: Buffer.alloc(upload, 'x') }),
    ...(status !== undefined && { status }),
    opensConnections: false,
    isContent: () => true,
    isFixedLength: false,
    // Few at once where the content is long.
    connections: (upload ?? 0) > 65_536 ? 4 : 16,
    streams: 32,
  };
}

export const scenarios: readonly Scenario[] = endpoints.flatMap((endpoint) =>
  (endpoint.protocols ?? (['http/1.1'] as const)).map((protocol) => scenario(endpoint, protocol)),
);
