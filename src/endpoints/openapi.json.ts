import { negotiateEncoder, codingDocs, VARY_BY_CODING, type Coding } from '../http/codings.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { reply } from '../server/reply.ts';
import { openApiDocument, type DocumentedFields } from '../pages/openapi.ts';

const TYPE = 'application/json';

/** @param list returns every endpoint, including this one; called after startup */
export function openapi(list: () => readonly Endpoint[], fields: DocumentedFields): Endpoint {
  let text: string | undefined;
  // A Buffer, because a string would be encoded for each response.
  let identity: Buffer | undefined;
  const encoded = new Map<Coding, Promise<Uint8Array>>();
  return endpoint({
    id: 'openapi',
    path: '/openapi.json',
    group: 'operations',
    summary: 'The OpenAPI 3.1 document, generated from the declarations that route and validate.',
    responses: {
      200: { description: 'The document.', content: [TYPE], fields: codingDocs.fields },
      406: codingDocs[406],
    },
    async handle({ request }) {
      const accepted = negotiateEncoder(request.fields);
      // Without indentation, which would double the length.
      text ??= `${JSON.stringify(openApiDocument(list(), fields))}\n`;
      if (!accepted) {
        identity ??= Buffer.from(text);
        return reply(TYPE, identity, { fields: VARY_BY_CODING });
      }
      const { coding, encode } = accepted;
      const content = encoded.get(coding) ?? encode(text);
      encoded.set(coding, content);
      const codingFields = ['Content-Encoding', coding, ...VARY_BY_CODING];
      return reply(TYPE, await content, { fields: codingFields });
    },
  });
}
