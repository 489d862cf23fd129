import { promisify } from 'node:util';
import { deflate, gzip } from 'node:zlib';
import { deflateEcho } from '../../endpoints/deflate.ts';
import { gzipEcho } from '../../endpoints/gzip.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/reply.ts';
import { goHttpbinHead } from '../../views/dialects/go-httpbin.ts';
import { answeredBy } from '../manner.ts';
import { goText, JSON_TYPE } from './answers.ts';

function encoded(
  endpoint: Endpoint,
  coding: string,
  compress: (text: string) => Promise<Buffer>,
  mark: object,
): Endpoint {
  const fields = ['Content-Encoding', coding];
  return answeredBy(
    endpoint,
    async (request) => {
      const octets = await compress(goText({ ...goHttpbinHead(request), ...mark }));
      return reply(JSON_TYPE, octets, { fields });
    },
    [JSON_TYPE],
  );
}

/** The echo in a content coding, and a member that says so. */
export const encodings: readonly Endpoint[] = [
  encoded(gzipEcho, 'gzip', promisify<string, Buffer>(gzip), { gzipped: true }),
  encoded(deflateEcho, 'deflate', promisify<string, Buffer>(deflate), { deflated: true }),
];
