import { jsonResponse, type Input } from '../server/endpoint.ts';
import { described, flag } from '../server/params.ts';
import { allBytes } from '../server/each-piece.ts';
import { reply, type Reply } from '../server/reply.ts';
import { LARGE_CONTENT } from '../server/request-cost.ts';
import type { Request } from '../server/request.ts';
import { echoPieces } from './echo-pieces.ts';
import { echoSchema } from './echo-schema.ts';
import { echoText, wantsClose } from './echo-text.ts';
import { explainFields } from './explain/explain.ts';
import { explainedText } from './explain/explained-text.ts';

/** Common declaration of the endpoints that echo the request. */
export const echoDeclaration = {
  group: 'echo',
  additionalQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  handle: ({ request, content }: Input<unknown, unknown>) => echoReply(request, content),
  responses: { 200: jsonResponse('The request as received.', echoSchema) },
} as const;

/** Common declaration of the endpoints that do nothing else, and explain fields on request. */
export const explainingEcho = {
  ...echoDeclaration,
  query: {
    explain: described('Adds `explained`: what the structured fields of the request mean.', flag),
  },
  handle: ({ request, content, query }: Input<unknown, { readonly explain: boolean }>) =>
    echoReply(
      request,
      content,
      query.explain ? explainedText(explainFields(request, content)) : undefined,
    ),
} as const;

/**
 * The echo as a response. With `?connection=close`, the connection is closed after it.
 *
 * @param explained as in `echoText()`
 */
export function echoReply(request: Request, content: Buffer, explained?: string): Reply {
  const echo = isLarge(content)
    ? echoPieces(request, content, false, explained)
    : echoText(request, content, undefined, explained);
  const { status, fields, payload } = reply('application/json', echo);
  return { status, fields, payload, close: wantsClose(request) };
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
