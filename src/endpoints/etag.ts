import { evaluatePreconditions, preconditionFailed } from '../http/conditional.ts';
import { endpoint, problemResponse } from '../server/endpoint.ts';
import { encodeFieldText } from '../http/fields.ts';
import { required } from '../server/params.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { empty, withFields } from '../server/reply.ts';
import { textLike } from '../server/schema.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

const MAX_LENGTH = 1024;
const OPAQUE = String.raw`[^\x00-\x20"\x7f]*`;
const TAG = new RegExp(`^(?:(?:W/)?"${OPAQUE}"|${OPAQUE})$`);

/** An entity tag, quoted or not. A quoted one may be weak (`W/`). */
const entityTag = required<string>(
  {
    ...textLike('v1', { type: 'string', pattern: TAG.source }),
    maxLength: MAX_LENGTH,
    description: `\`v1\`, \`"v1"\` or \`W/"v1"\`, with \`/\` written as %2F; at most ${MAX_LENGTH} bytes.`,
  },
  (text, name) => {
    const bytes = encodeFieldText(text);
    if (bytes.length > MAX_LENGTH) {
      const detail = `${name} has ${bytes.length} bytes, the maximum is ${MAX_LENGTH}`;
      throw new Problem('invalid-parameter', detail);
    }
    if (!TAG.test(text)) throw invalidParameter(name, text, 'is not an entity tag');
    return bytes.endsWith('"') ? bytes : `"${bytes}"`;
  },
);

const fields = { ETag: 'The entity tag in the path.' };

export const etag = endpoint({
  ...echoDeclaration,
  methods: 'any',
  path: '/etag/{etag}',
  group: 'fields',
  summary: 'The echo with the given ETag; evaluates If-Match and If-None-Match (RFC 9110 13).',
  params: { etag: entityTag },
  responses: {
    200: { ...echoDeclaration.responses[200], fields },
    304: { description: 'GET, HEAD or QUERY, and If-None-Match matches.', fields },
    412: problemResponse('If-Match does not match, or If-None-Match matches with another method.'),
  },
  handle({ request, params, content }) {
    switch (evaluatePreconditions(request.method, request.fields, { etag: params.etag })) {
      case 'not-modified':
        return empty(304, ['ETag', params.etag]);
      case 'failed':
        throw preconditionFailed(params.etag);
      case 'perform':
        return withFields(echoReply(request, content), ['ETag', params.etag]);
    }
  },
});
