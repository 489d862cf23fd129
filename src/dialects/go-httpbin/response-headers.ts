import { checkFields, responseHeaders as standard } from '../../endpoints/response-headers.ts';
import { queryOf, type Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { decodeFieldText, isToken } from '../../http/fields.ts';
import type { Reply } from '../../server/reply.ts';
import { nosniffFor } from '../../server/safety.ts';
import { valuesByName } from '../go-fields.ts';
import { withHandler } from '../response-style.ts';
import { goJsonText, JSON_TYPE } from './replies.ts';
import { escaped, isEscaped } from './escaping.ts';

/** As in the original, an invalid field name is not sent, but appears in the JSON. */
function respond(request: Request): Reply {
  const pairs = [...queryOf(request, 'latin1')];
  const contentType = pairs.find(([name]) => name.toLowerCase() === 'content-type');
  if (!contentType) pairs.push(['Content-Type', JSON_TYPE]);
  const fields = pairs.filter(([name]) => isToken(name));
  checkFields(fields);
  const isSafe = !isEscaped(contentType?.[1] ?? JSON_TYPE);
  const members = pairs.map((pair): [string, string] => {
    const [name, value] = pair.map((bytes) =>
      isSafe ? decodeFieldText(bytes) : escaped(decodeFieldText(bytes)),
    );
    return [name ?? '', value ?? ''];
  });
  const payload = Buffer.from(goJsonText(valuesByName(members)));
  return {
    status: 200,
    fields: [...fields.flat(), ...nosniffFor(fields)],
    payload,
    replacesDefaults: true,
  };
}

export const responseHeaders: Endpoint = withHandler(standard, respond, [JSON_TYPE]);
