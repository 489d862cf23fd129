import type { Request } from '../server/request.ts';
import { arrayOf, enumOf, nullable, objectSchema, TEXT, type Infer } from '../server/schema.ts';

const factsSchema = objectSchema(
  'Http1',
  {
    version: enumOf('HTTP/1.0', 'HTTP/1.1'),
    field_names: arrayOf(TEXT),
    raw_head: { ...nullable(TEXT), description: 'Request line and field lines in base64.' },
    reason: { ...TEXT, description: 'Why `raw_head` is null.' },
  },
  ['reason'],
);

/** Response of `/http1`. */
export const http1DetailsSchema = objectSchema(
  'Http1Story',
  { http1: nullable(factsSchema), reason: TEXT },
  ['reason'],
);

const SECTION_END = '\r\n\r\n';

/** The header section of an HTTP/1.x request as sent: field names in order and case, and the raw bytes. */
export function http1Details(request: Request): Infer<typeof http1DetailsSchema> {
  const { version, fields, requestNumber, connection } = request;
  if (version === 'HTTP/2.0') return { http1: null, reason: `the request uses ${version}` };
  const bytes = requestNumber === 1 ? connection.firstBytes : undefined;
  const head = bytes && findHead(bytes);
  return {
    http1: {
      version: version === 'HTTP/1.0' ? version : 'HTTP/1.1',
      field_names: fields.filter((_, at) => at % 2 === 0),
      raw_head: head?.toString('base64') ?? null,
      ...(!head && { reason: missingHeadReason(bytes) }),
    },
  };
}

/** The header section in received bytes. Parsers skip empty lines before it (RFC 9112 2.2). */
function findHead(bytes: Buffer): Buffer | undefined {
  let start = 0;
  while (bytes[start] === 0x0d || bytes[start] === 0x0a) start++;
  const end = bytes.indexOf(SECTION_END, start, 'latin1');
  return end === -1 ? undefined : bytes.subarray(0, end + SECTION_END.length);
}

function missingHeadReason(bytes: Buffer | undefined): string {
  return bytes
    ? 'the head arrived in several pieces, or is larger than 8 KiB'
    : 'the raw bytes are only kept for the first request of a connection';
}
