import type { Request } from '../server/request.ts';

type View = Readonly<Record<string, unknown>>;

const SECTION_END = '\r\n\r\n';

/** How an HTTP/1.x request was written: order and case of its fields, and its head byte by byte. */
export function http1Details({
  version,
  fields,
  stream,
  requestNumber: ordinal,
  connection,
}: Request): View {
  if (stream) return { http1: null, reason: `the request came by ${version}` };
  const bytes = ordinal === 1 ? connection.firstBytes : undefined;
  const head = bytes && headIn(bytes);
  return {
    http1: {
      version,
      field_names: fields.filter((_, at) => at % 2 === 0),
      raw_head: head?.toString('base64') ?? null,
      ...(!head && { reason: reasonWithout(bytes) }),
    },
  };
}

/** From the first byte to the empty line; a parser skips empty lines before it (RFC 9112 2.2). */
function headIn(bytes: Buffer): Buffer | undefined {
  let start = 0;
  while (bytes[start] === 0x0d || bytes[start] === 0x0a) start++;
  const end = bytes.indexOf(SECTION_END, start, 'latin1');
  return end === -1 ? undefined : bytes.subarray(0, end + SECTION_END.length);
}

function reasonWithout(bytes: Buffer | undefined): string {
  return bytes
    ? 'the head came in several pieces, or has more than 8 KiB'
    : "only the connection's first request is kept as it came";
}
