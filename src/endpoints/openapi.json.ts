import { acceptedCoding, codingDocs, VARY_BY_CODING, type Coding } from '../http/codings.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { reply } from '../server/reply.ts';
import { openApiDocument } from '../pages/openapi.ts';

const TYPE = 'application/json';

/**
 * @param list every endpoint, this one included; asked for with the first request
 * @param connHeaders whether responses name their connection
 */
export function openapi(list: () => readonly Endpoint[], connHeaders: boolean): Endpoint {
  let text: string | undefined;
  // As bytes: it is long, and would be encoded again for each response.
  let plain: Buffer | undefined;
  const encoded = new Map<Coding, Promise<Uint8Array>>();
  return endpoint({
    id: 'openapi',
    methods: ['GET'],
    path: '/openapi.json',
    group: 'operations',
    summary: 'Describes every endpoint by OpenAPI 3.1, from what routes and validates them.',
    params: {},
    responses: {
      200: { description: 'The document.', content: [TYPE], fields: codingDocs.fields },
      406: codingDocs[406],
    },
    async handle({ request }) {
      const accepted = acceptedCoding(request.fields);
      // Without the white space, which would be half of it.
      text ??= `${JSON.stringify(openApiDocument(list(), connHeaders))}\n`;
      if (!accepted) {
        plain ??= Buffer.from(text);
        return reply(TYPE, plain, { fields: VARY_BY_CODING });
      }
      const { coding, encode } = accepted;
      const content = encoded.get(coding) ?? encode(text);
      encoded.set(coding, content);
      const fields = ['Content-Encoding', coding, ...VARY_BY_CODING];
      return reply(TYPE, await content, { fields });
    },
  });
}
