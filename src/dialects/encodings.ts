import { brotliEcho } from '../endpoints/brotli.ts';
import { deflateEcho } from '../endpoints/deflate.ts';
import { gzipEcho } from '../endpoints/gzip.ts';
import { encoderFor, type Encode } from '../http/codings.ts';
import type { Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { reply } from '../server/reply.ts';
import { inThread } from '../server/serialize.ts';
import { withHandler } from './response-style.ts';

/** Echoes a request as JSON, with a member that names the content coding. */
type Echo = (request: Request, coding: object) => string;

function encoded(
  endpoint: Endpoint,
  coding: string,
  encode: Encode,
  type: string,
  text: (request: Request) => string,
): Endpoint {
  const options = { fields: ['Content-Encoding', coding] };
  return withHandler(
    endpoint,
    async (request) => reply(type, await inThread(request, () => encode(text(request))), options),
    [type],
  );
}

/** /gzip, /deflate and /brotli, regardless of Accept-Encoding. */
export function encodings(type: string, echo: Echo): readonly Endpoint[] {
  return [
    encoded(gzipEcho, 'gzip', encoderFor('gzip'), type, (request) =>
      echo(request, { gzipped: true }),
    ),
    encoded(deflateEcho, 'deflate', encoderFor('deflate'), type, (request) =>
      echo(request, { deflated: true }),
    ),
    encoded(brotliEcho, 'br', encoderFor('br'), type, (request) => echo(request, { brotli: true })),
  ];
}
