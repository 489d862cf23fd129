import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import { brotliEcho } from '../../endpoints/brotli.ts';
import { deflateEcho } from '../../endpoints/deflate.ts';
import { gzipEcho } from '../../endpoints/gzip.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/reply.ts';
import { httpbinHeaders, httpbinOrigin } from '../../views/dialects/httpbin.ts';
import { flaskJson } from '../../views/dialects/json.ts';
import { answeredBy } from '../manner.ts';

const brotli = promisify(brotliCompress);
const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };

function encoded(
  endpoint: Endpoint,
  coding: string,
  compress: (text: string) => Promise<Buffer>,
  mark: object,
): Endpoint {
  const options = { fields: ['Content-Encoding', coding] };
  return answeredBy(endpoint, async (request) => {
    const { method, fields } = request;
    const view = { headers: httpbinHeaders(fields), method, origin: httpbinOrigin(request) };
    return reply('application/json', await compress(flaskJson({ ...view, ...mark })), options);
  });
}

/** What of the request there is in `/gzip` and its like, and a member that says which it is. */
export const encodings: readonly Endpoint[] = [
  encoded(gzipEcho, 'gzip', promisify<string, Buffer>(gzip), { gzipped: true }),
  encoded(deflateEcho, 'deflate', promisify<string, Buffer>(deflate), { deflated: true }),
  encoded(brotliEcho, 'br', (text) => brotli(text, { params }), { brotli: true }),
];
