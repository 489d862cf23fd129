import { isUtf8 } from 'node:buffer';
import { endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldPairs, isAscii } from '../http/fields.ts';
import { reply } from '../server/reply.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';

const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';

/**
 * The head of the request in bytes, one a character: names, values, their order and case as sent.
 * HTTP/2 has no request line, but pseudo-header fields.
 */
function headOf({ method, rawTarget, version, fields }: Request): string {
  // The length that HEAD is told is that of GET (RFC 9110 8.6).
  const shown = method === 'HEAD' ? 'GET' : method;
  let head = version === 'HTTP/2.0' ? '' : `${shown} ${rawTarget} ${version}\r\n`;
  for (const [name, value] of fieldPairs(fields)) {
    head += `${name}: ${name === ':method' ? shown : value}\r\n`;
  }
  return `${head}\r\n`;
}

export const dump = endpoint({
  id: 'dump_request',
  methods: 'any',
  path: '/dump/request',
  group: 'echo',
  summary: 'The request as text: its head as it came, then its content.',
  params: {},
  additionalQuery: 'Part of the target.',
  content: true,
  responses: {
    200: {
      description:
        'Request line and field lines, over HTTP/2 its field list; white space around values and the ' +
        'transfer coding of the content are not kept. Text where it is valid UTF-8.',
      content: [TEXT, BYTES],
      fields: nosniffDoc,
    },
  },
  handle({ request, content }) {
    const head = headOf(request);
    if (content.length === 0 && isAscii(head)) return reply(TEXT, head, { fields: NOSNIFF });
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), content]);
    return reply(isUtf8(bytes) ? TEXT : BYTES, bytes, { fields: NOSNIFF });
  },
});
