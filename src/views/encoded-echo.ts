import type { Encode } from '../http/codings.ts';
import { queryOf } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { LARGE } from '../http/memory.ts';
import { reply, type Reply } from '../http/reply.ts';
import { inThread, inTurn } from '../http/turns.ts';
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
  const inOrder = content.length > LARGE ? inTurn : inThread;
  const encoded = await inOrder(request, encoding);
  const fields = ['Content-Encoding', coding];
  return { ...reply('application/json', encoded, { fields }), close: closes(queryOf(request)) };
}
