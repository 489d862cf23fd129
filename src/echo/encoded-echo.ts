import { encoderFor, type Coding, type Encode } from '../http/codings.ts';
import { Problem } from '../http/problem.ts';
import type { Input } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { reply, type Reply } from '../server/reply.ts';
import { inThread, takesLong } from '../server/request-cost.ts';
import { wantsClose } from './echo-text.ts';
import { echoDeclaration, wholeEcho } from './echo.ts';

const { 200: echoResponse } = echoDeclaration.responses;

const responses = { 200: { ...echoResponse, fields: { 'Content-Encoding': 'Always present.' } } };

/** Common declaration of endpoints that send the echo with a content coding. */
export function encodedEchoDeclaration(coding: Coding) {
  const encode = encoderFor(coding);
  const handle = async ({ request, content }: Input<unknown, unknown>): Promise<Reply> => {
    if (encode) return encodedEchoReply(request, content, coding, encode);
    throw new Problem('not-implemented', `${coding} requires Node 22.15 or later`);
  };
  return { ...echoDeclaration, responses, handle };
}

/** The echo with a content coding (RFC 9110 8.4.1). Accept-Encoding is ignored. */
export async function encodedEchoReply(
  request: Request,
  content: Buffer,
  coding: string,
  encode: Encode,
): Promise<Reply> {
  const encodeEcho = async (): Promise<Uint8Array> => encode(await wholeEcho(request, content));
  const encoded = await inThread(request, encodeEcho, takesLong(request, content.length));
  const fields = ['Content-Encoding', coding];
  return { ...reply('application/json', encoded, { fields }), close: wantsClose(request) };
}
