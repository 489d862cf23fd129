import { jsonResponse, type Input } from '../server/endpoint.ts';
import { readVerificationKey, type NamedKey } from '../http/message-signatures/verification-key.ts';
import { Problem } from '../http/problem.ts';
import { described, flag, optional, required } from '../server/params.ts';
import { allBytes } from '../server/each-piece.ts';
import { reply, type Reply } from '../server/reply.ts';
import { textLike } from '../server/schema.ts';
import { LARGE_CONTENT } from '../server/request-cost.ts';
import type { Request } from '../server/request.ts';
import { echoPieces } from './echo-pieces.ts';
import { echoSchema } from './echo-schema.ts';
import { checkDigests } from './digest-check.ts';
import { echoText, wantsClose, type Explanation } from './echo-text.ts';
import { EXPLAIN_BOUNDS } from './explain/bounds.ts';
import { explainRequest } from './explain/explain.ts';
import { explainedText } from './explain/explained-text.ts';
import { namesOf } from './explain/names.ts';
import { jsonMembers } from './json-text.ts';

/** Common declaration of the endpoints that echo the request. */
export const echoDeclaration = {
  group: 'echo',
  additionalQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  handle: ({ request, content }: Input<unknown, unknown>) => echoReply(request, content),
  responses: { 200: jsonResponse('The request as received.', echoSchema) },
} as const;

/** A key for signatures, which is read even if nothing is explained. */
const signatureKey = required<NamedKey>(
  {
    // {"kty":"oct","k":"YQ"}
    ...textLike('eyJrdHkiOiJvY3QiLCJrIjoiWVEifQ'),
    maxLength: EXPLAIN_BOUNDS.key.characters,
    description:
      'With `explain`: the public key or shared secret of the signatures (RFC 9421), as a JSON Web Key (RFC 7517) in base64url.',
  },
  (value, name) => {
    const key = readVerificationKey(value);
    if (typeof key === 'string') throw new Problem('invalid-parameter', `${name} ${key}`);
    return key;
  },
);

interface ExplainQuery {
  readonly explain: boolean;
  readonly signature_key: NamedKey | undefined;
}

/** Common declaration of the endpoints that only echo the request, and explain its fields on demand. */
export const explainingEcho = {
  ...echoDeclaration,
  query: {
    explain: described(
      'Adds `explained`, what the structured fields of the request mean, and `field_names`, which of its field names are unregistered, deprecated or obsoleted.',
      flag,
    ),
    signature_key: optional(signatureKey, undefined),
  },
  handle: ({ request, content, query }: Input<unknown, ExplainQuery>) =>
    query.explain
      ? explainedReply(request, content, query.signature_key)
      : echoReply(request, content),
} as const;

async function explainedReply(
  request: Request,
  content: Buffer,
  key: NamedKey | undefined,
): Promise<Reply> {
  const digests = checkDigests(request, content);
  const explained = await explainRequest(request, digests, key);
  const text = `${explainedText(explained)},\n${jsonMembers({ field_names: namesOf(request) })}`;
  return echoReply(request, content, { text, digests });
}

/**
 * The echo as a response. With `?connection=close`, the connection is closed after it.
 *
 * @param explanation as in `echoText()`
 */
export function echoReply(request: Request, content: Buffer, explanation?: Explanation): Reply {
  const echo = isLarge(content)
    ? echoPieces(request, content, false, explanation)
    : echoText(request, content, undefined, explanation);
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
