import { encoderFor } from '../http/codings.ts';
import type { Override } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { reply } from '../server/reply.ts';
import { inThread, takesLong } from '../server/request-cost.ts';
import { withHandler } from './overrides.ts';

const CODINGS = [
  { path: '/gzip', coding: 'gzip', member: { gzipped: true } },
  { path: '/deflate', coding: 'deflate', member: { deflated: true } },
  { path: '/brotli', coding: 'br', member: { brotli: true } },
] as const;

/**
 * /gzip, /deflate and /brotli, which ignore Accept-Encoding.
 *
 * @param echo echoes a request as JSON, with a member that names the content coding
 */
export function encodings(
  type: string,
  echo: (request: Request, member: object) => string,
): readonly Override[] {
  return CODINGS.map(({ path, coding, member }) => {
    const encode = encoderFor(coding);
    const options = { fields: ['Content-Encoding', coding] };
    return withHandler(
      path,
      async (request) => {
        const encodeEcho = (): Promise<Uint8Array> => encode(echo(request, member));
        return reply(type, await inThread(request, encodeEcho, takesLong(request, 0)), options);
      },
      [type],
    );
  });
}
