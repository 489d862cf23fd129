import { jsonResponse, queryOf, type Input } from '../server/endpoint.ts';
import { allBytes } from '../server/each-piece.ts';
import { reply, type Reply } from '../server/reply.ts';
import { LARGE_CONTENT } from '../server/request-cost.ts';
import type { Request } from '../server/request.ts';
import { echoPieces } from './echo-pieces.ts';
import { echoSchema } from './echo-schema.ts';
import { echoText, wantsClose } from './echo-text.ts';

/** Common declaration of the endpoints that echo the request. */
export const echoDeclaration = {
  group: 'echo',
  additionalQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  handle: ({ request, content }: Input<unknown, unknown>) => echoReply(request, content),
  responses: { 200: jsonResponse('The request as received.', echoSchema) },
} as const;

/** The echo as a response. With `?connection=close`, the connection is closed after it. */
export function echoReply(request: Request, content: Buffer): Reply {
  const echo = isLarge(content) ? echoPieces(request, content) : echoText(request, content);
  const { status, fields, payload } = reply('application/json', echo);
  return { status, fields, payload, close: wantsClose(queryOf(request)) };
}

/** The whole echo in memory, made in turns if the content is large. @throws AbortError if the client disconnects */
export async function wholeEcho(request: Request, content: Buffer): Promise<string | Uint8Array> {
  return isLarge(content)
    ? allBytes(request, echoPieces(request, content))
    : echoText(request, content);
}

/** Whether content is so large that its echo is made in pieces. */
function isLarge(content: Buffer): boolean {
  return content.length > LARGE_CONTENT;
}
