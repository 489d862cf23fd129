import { clientOriginOf } from '../echo/request-url.ts';
import { negotiateEncoder, codingDocs, VARY_BY_CODING } from '../http/codings.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { reply } from '../server/reply.ts';
import { inThread, takesLong } from '../server/request-cost.ts';
import { openApiDocument, type DocumentedFields } from '../pages/openapi.ts';

const TYPE = 'application/json';

/** The document as clients of one origin get it. */
interface Shown {
  readonly origin: string | undefined;
  /** A Buffer, because a string would be encoded for each response. */
  readonly identity: Buffer;
  readonly encoded: Map<string, Uint8Array>;
}

/** @param list returns every endpoint, including this one; called after startup */
export function openapi(list: () => readonly Endpoint[], fields: DocumentedFields): Endpoint {
  let write: ((origin: string | undefined) => Buffer) | undefined;
  // Only the last one: clients choose the origin by Host.
  let last: Shown | undefined;
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
      write ??= documentWriter(list(), fields);
      const origin = clientOriginOf(request);
      const shown =
        last?.origin === origin && last
          ? last
          : { origin, identity: write(origin), encoded: new Map<string, Uint8Array>() };
      last = shown;
      const { identity, encoded } = shown;
      if (!accepted) return reply(TYPE, identity, { fields: VARY_BY_CODING });
      const { coding, encode } = accepted;
      const content =
        encoded.get(coding) ??
        (await inThread(request, () => encode(identity), takesLong(request, identity.length)));
      encoded.set(coding, content);
      return reply(TYPE, content, { fields: ['Content-Encoding', coding, ...VARY_BY_CODING] });
    },
  });
}

/**
 * Makes the document for clients of an origin. Importers do not resolve a relative server, so the absolute one comes first
 * if it is known. The rest is written once, without indentation, which would double the length.
 */
function documentWriter(
  endpoints: readonly Endpoint[],
  fields: DocumentedFields,
): (origin: string | undefined) => Buffer {
  const { openapi: version, servers, ...others } = openApiDocument(endpoints, fields);
  const rest = Buffer.from(`,${JSON.stringify(others).slice(1)}\n`);
  return (origin) => {
    const absolute = origin !== undefined && {
      url: `${origin}${fields.pathPrefix ?? ''}`,
      description: 'As this document was requested.',
    };
    const all = absolute ? [absolute, ...servers] : servers;
    const start = JSON.stringify({ openapi: version, servers: all }).slice(0, -1);
    return Buffer.concat([Buffer.from(start), rest]);
  };
}
