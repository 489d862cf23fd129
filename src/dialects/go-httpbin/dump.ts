import { dump } from '../../endpoints/dump.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue } from '../../http/fields.ts';
import { reply } from '../../server/reply.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { goHeader, goHost } from '../go-fields.ts';
import { withHandler } from '../response-style.ts';
import { TEXT_TYPE } from './replies.ts';

/** The header section as Go's DumpRequest writes it: Host first, then the others sorted by name. */
function headOf({ method, rawTarget, version, target, fields }: Request): string {
  const lines = [`${method} ${rawTarget} ${version}`, `Host: ${goHost(target?.authority, fields)}`];
  const coding = fieldValue(fields, 'transfer-encoding');
  if (coding !== undefined) lines.push(`Transfer-Encoding: ${coding}`);
  for (const [name, values] of Object.entries(goHeader(fields))) {
    for (const value of values) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export const dumpRequest: Endpoint = withHandler(
  dump,
  (request, content) =>
    reply(TEXT_TYPE, Buffer.concat([Buffer.from(headOf(request)), content]), { fields: NOSNIFF }),
  [TEXT_TYPE],
);
