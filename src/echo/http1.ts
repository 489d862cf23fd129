import { fieldValue } from '../http/fields.ts';
import { bytesBeingParsed } from '../net/node-internals.ts';
import type { Request } from '../server/request.ts';
import { parseRequestHead } from '../wire/http1/start-line.ts';
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
const NOT_KEPT = 'only the first 32 KiB of a head are kept';
const UNKNOWN =
  'without --inspect, a head is only known if it arrives in one piece, and no other request with it';

/** The header section of an HTTP/1.x request as sent: field names in order and case, and the raw bytes. */
export function http1Details(request: Request): Infer<typeof http1DetailsSchema> {
  const { version, fields, requestNumber, connection } = request;
  if (version === 'HTTP/2.0') return { http1: null, reason: `the request uses ${version}` };
  const { inspector } = connection;
  const head = inspector ? inspector.requestHead(requestNumber) : observedHead(request);
  return {
    http1: {
      version: version === 'HTTP/1.0' ? version : 'HTTP/1.1',
      field_names: fields.filter((_, at) => at % 2 === 0),
      raw_head: head?.toString('base64') ?? null,
      ...(!head && { reason: inspector ? NOT_KEPT : UNKNOWN }),
    },
  };
}

/** The head of a request in the connection's first bytes, or in those that Node is parsing. */
function observedHead(request: Request): Buffer | undefined {
  const { requestNumber, connection } = request;
  const first = requestNumber === 1 ? connection.firstBytes : undefined;
  const found = first && findHead(first);
  if (found) return found;
  const read = bytesBeingParsed(connection.stream);
  // The first head of a connection may have begun in its first bytes.
  return soleHead(read, request) ?? (first && soleHead(Buffer.concat([first, read]), request));
}

/** The head of a request in bytes that have no other request: then it is the only one that they can belong to. */
function soleHead(bytes: Buffer, request: Request): Buffer | undefined {
  const head = findHead(bytes);
  if (!head) return undefined;
  const { method, rawTarget, version, fields } = request;
  const length = Number(fieldValue(fields, 'content-length') ?? 0);
  if (bytes.length - head.length > length) return undefined;
  const { line, fields: sent } = parseRequestHead(head.toString('latin1'));
  const isSame =
    line.method === method &&
    line.target === rawTarget &&
    line.version === version &&
    fields.join('\n') === sent.flatMap(({ name, value }) => [name, value]).join('\n');
  return isSame ? head : undefined;
}

/** The header section in received bytes. Parsers skip empty lines before it (RFC 9112 2.2). */
function findHead(bytes: Buffer): Buffer | undefined {
  let start = 0;
  while (bytes[start] === 0x0d || bytes[start] === 0x0a) start++;
  const end = bytes.indexOf(SECTION_END, start, 'latin1');
  return end === -1 ? undefined : bytes.subarray(0, end + SECTION_END.length);
}
