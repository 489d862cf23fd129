import type { Encode } from '../http/codings.ts';
import { queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { LARGE_CONTENT } from '../server/memory-budget.ts';
import { reply, type Reply } from '../server/reply.ts';
import { inThread, serialize } from '../server/serialize.ts';
import { wantsClose, echoDeclaration, echoText } from './echo.ts';

const { 200: echoResponse } = echoDeclaration.responses;

/** Common declaration of the endpoints that encode the echo. */
export const encodedEchoDeclaration = {
  ...echoDeclaration,
  responses: { 200: { ...echoResponse, fields: { 'Content-Encoding': 'Always present.' } } },
} as const;

/** The echo with a content coding (RFC 9110 8.4.1), regardless of Accept-Encoding. */
export async function encodedEchoReply(
  request: Request,
  content: Buffer,
  coding: string,
  encode: Encode,
): Promise<Reply> {
  const encodeEcho = (): Promise<Uint8Array> => encode(echoText(request, content));
  const inOrder = content.length > LARGE_CONTENT ? serialize : inThread;
  const encoded = await inOrder(request, encodeEcho);
  const fields = ['Content-Encoding', coding];
  return { ...reply('application/json', encoded, { fields }), close: wantsClose(queryOf(request)) };
}
