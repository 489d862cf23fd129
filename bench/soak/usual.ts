import type { RequestMessage } from '../../src/check/message.ts';

/** A request and what has to come of it. */
interface Usual extends RequestMessage {
  readonly status: number;
  /** Bytes of content, where that is known. */
  readonly length?: number;
}

/** What people ask of wirebin in a day, quick and slow, small and large, right and wrong. */
const usual: readonly Usual[] = [
  { target: '/healthz', status: 200, length: 2 },
  { target: '/anything/a//b?x=1&x=2', status: 200 },
  { method: 'POST', target: '/anything', status: 200, content: Buffer.alloc(20_000, 'content ') },
  { method: 'POST', target: '/post', status: 413, content: Buffer.alloc(2_200_000) },
  { target: '/bytes/1024', status: 200, length: 1024 },
  { target: '/bytes/300000', status: 200, length: 300_000 },
  { target: '/range/1048576', status: 200, length: 1_048_576 },
  { target: '/range/1048576', fields: [['range', 'bytes=5-104']], status: 206, length: 100 },
  { target: '/range/10', fields: [['range', 'bytes=50-']], status: 416 },
  { target: '/delay/0.05', status: 200 },
  { target: '/drip?numbytes=5&duration=0.1', status: 200, length: 5 },
  { target: '/gzip', status: 200 },
  { target: '/cache', fields: [['if-none-match', '*']], status: 304, length: 0 },
  { target: '/cookies/set?a=b', status: 302 },
  { target: '/status/503', status: 503 },
  { target: '/nothing-here', status: 404 },
  { target: '/bytes/10485761', status: 400 },
  { method: 'DELETE', target: '/bytes/1', status: 405 },
  { method: 'HEAD', target: '/bytes/10485760', status: 200, length: 0 },
  { method: 'OPTIONS', target: '/get', status: 204, length: 0 },
];

export function pickUsual(): Usual {
  const [first] = usual;
  const picked = usual[Math.floor(Math.random() * usual.length)] ?? first;
  if (!picked) throw new Error('there is no request');
  return picked;
}
