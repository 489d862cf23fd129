import { isUtf8 } from 'node:buffer';
import { endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldPairs, isAscii } from '../http/fields.ts';
import { BYTES_TYPE, TEXT_TYPE, reply } from '../server/reply.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';

/**
 * Request line and field lines in Latin-1, as received in names, values, order and case. HTTP/2 has pseudo-header
 * fields in place of the request line.
 */
function headOf({ method, rawTarget, version, fields }: Request): string {
  // A response to HEAD has the Content-Length of a response to GET (RFC 9110 8.6).
  const dumpedMethod = method === 'HEAD' ? 'GET' : method;
  let head = version === 'HTTP/2.0' ? '' : `${dumpedMethod} ${rawTarget} ${version}\r\n`;
  for (const [name, value] of fieldPairs(fields)) {
    head += `${name}: ${name === ':method' ? dumpedMethod : value}\r\n`;
  }
  return `${head}\r\n`;
}

export const dump = endpoint({
  methods: 'any',
  path: '/dump/request',
  group: 'echo',
  summary: 'The request as text: header section as received, then content.',
  additionalQuery: 'Part of the target.',
  content: true,
  responses: {
    200: {
      description:
        'Request line, field lines and content; over HTTP/2 the field list and content. Whitespace ' +
        'around values and the transfer coding are not preserved. Sent as text if valid UTF-8.',
      content: [TEXT_TYPE, BYTES_TYPE],
      fields: nosniffDoc,
    },
  },
  handle({ request, content }) {
    const head = headOf(request);
    if (content.length === 0 && isAscii(head)) return reply(TEXT_TYPE, head, { fields: NOSNIFF });
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), content]);
    return reply(isUtf8(bytes) ? TEXT_TYPE : BYTES_TYPE, bytes, { fields: NOSNIFF });
  },
});
