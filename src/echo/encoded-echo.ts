import type { Encode } from '../http/codings.ts';
import { queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { LARGE_CONTENT } from '../server/memory-budget.ts';
import { reply, type Reply } from '../server/reply.ts';
import { inThread, serialize } from '../server/serialize.ts';
import { closes, echoDeclaration, echoText } from './echo.ts';

const { 200: echoResponse } = echoDeclaration.responses;

/** What the declarations of all endpoints that encode the echo have in common. */
export const encodedEchoDeclaration = {
  ...echoDeclaration,
  responses: { 200: { ...echoResponse, fields: { 'Content-Encoding': 'Always there.' } } },
} as const;

/** The echo with a content coding (RFC 9110 8.4.1), whatever the request accepts. */
export async function encodedEchoReply(
  request: Request,
  content: Buffer,
  coding: string,
  encode: Encode,
): Promise<Reply> {
  const encoding = (): Promise<Uint8Array> => encode(echoText(request, content));
  const inOrder = content.length > LARGE_CONTENT ? serialize : inThread;
  const encoded = await inOrder(request, encoding);
  const fields = ['Content-Encoding', coding];
  return { ...reply('application/json', encoded, { fields }), close: closes(queryOf(request)) };
}
