import type { Protocol } from '../scenarios.ts';

/** A request to an endpoint that stands in for one of httpbin's or go-httpbin's. */
export interface Scenario {
  /** The target; what it is called in the table too, with what else there is. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of content, all of them `x`. */
  readonly upload?: number;
  readonly status?: number;
  /** HTTP/1.1 where nothing is said. */
  readonly protocols?: readonly Protocol[];
}

const both = ['http/1.1', 'h2c'] as const;
const credentials = { authorization: 'Basic dXNlcjpwYXNzd29yZA==' };

export const scenarios: readonly Scenario[] = [
  { path: '/base64/encode/some+text+of+mine' },
  { path: '/base64/c29tZSB0ZXh0IG9mIG1pbmU=', protocols: both },
  { path: '/stream/5', protocols: both },
  { path: '/stream-bytes/10240', protocols: both },
  { path: '/links/10', status: 302 },
  { path: '/links/10/0' },
  { path: '/etag/v1', protocols: both },
  { path: '/etag/v1', headers: { 'if-none-match': '"v1"' }, status: 304 },
  { path: '/basic-auth/user/password', headers: credentials },
  { path: '/basic-auth/user/password', status: 401 },
  { path: '/hidden-basic-auth/user/password', status: 404 },
  { path: '/bearer', headers: { authorization: 'Bearer abcdef' } },
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
  { path: '/image', headers: { accept: 'image/png,*/*;q=0.5' } },
  { path: '/compressed', headers: { 'accept-encoding': 'gzip' } },
  { path: '/upload', method: 'POST', upload: 5 },
  { path: '/upload', method: 'POST', upload: 10 * 1024 ** 2 },
  { path: '/drip?duration=0&numbytes=10' },
  { path: '/unstable?failure_rate=0' },
  { path: '/head' },
  { path: '/hostname' },
  { path: '/env' },
];

/** Fields and content included, where there are any. */
export function nameOf({ path, method, headers = {}, upload, status = 200 }: Scenario): string {
  const more = [method, ...Object.keys(headers), upload, status === 200 ? undefined : status];
  return [path, ...more.filter((word) => word !== undefined)].join(' ');
}
