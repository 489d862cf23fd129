import { checkFields, responseHeaders as standard } from '../../endpoints/response-headers.ts';
import { queryOf, type Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { decodeFieldText } from '../../http/fields.ts';
import { groupByName, type QueryPairs } from '../../http/query.ts';
import type { Reply } from '../../server/reply.ts';
import { nosniffFor, escapeMarkupInJson } from '../../server/safety.ts';
import { flaskJson } from '../json.ts';
import { withHandler } from '../response-style.ts';

/** The JSON includes its own Content-Length, so it is rendered until the length is stable. */
function contentOf(pairs: QueryPairs): string {
  const members = pairs.map(([name, value]): [string, string] => [name, decodeFieldText(value)]);
  const text = (length: number): string =>
    escapeMarkupInJson(flaskJson(groupByName([...members, ['Content-Length', String(length)]])));
  let content = text(0);
  for (let next = text(content.length); next !== content; next = text(content.length)) {
    content = next;
  }
  return content;
}

function respond(request: Request): Reply {
  const pairs = [...queryOf(request, 'latin1')];
  checkFields(pairs);
  const hasType = pairs.some(([name]) => name.toLowerCase() === 'content-type');
  if (!hasType) pairs.push(['Content-Type', 'application/json']);
  const fields = [...pairs.flat(), ...nosniffFor(pairs)];
  return { status: 200, fields, payload: contentOf(pairs), replacesDefaults: true };
}

export const responseHeaders: Endpoint = withHandler(standard, respond);
