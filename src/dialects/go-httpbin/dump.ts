import { dump } from '../../endpoints/dump.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Request } from '../../http/exchange.ts';
import { fieldValue } from '../../http/fields.ts';
import { reply } from '../../http/reply.ts';
import { NOSNIFF } from '../../http/safety.ts';
import { goHeader, goHost } from '../../views/dialects/go-fields.ts';
import { answeredBy } from '../manner.ts';
import { TEXT_TYPE } from './answers.ts';

/** The head as Go writes one: Host first, then the others by name. */
function headOf({ method, rawTarget, version, target, fields }: Request): string {
  const lines = [`${method} ${rawTarget} ${version}`, `Host: ${goHost(target?.authority, fields)}`];
  const coding = fieldValue(fields, 'transfer-encoding');
  if (coding !== undefined) lines.push(`Transfer-Encoding: ${coding}`);
  for (const [name, values] of Object.entries(goHeader(fields))) {
    for (const value of values) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export const dumped: Endpoint = answeredBy(
  dump,
  (request, content) =>
    reply(TEXT_TYPE, Buffer.concat([Buffer.from(headOf(request)), content]), { fields: NOSNIFF }),
  [TEXT_TYPE],
);
