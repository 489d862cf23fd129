import { checkFields, responseHeaders } from '../../endpoints/response-headers.ts';
import { queryOf, type Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { decodeFieldText, isToken } from '../../http/fields.ts';
import type { Reply } from '../../server/reply.ts';
import { nosniffFor } from '../../server/safety.ts';
import { valuesByName } from '../go-fields.ts';
import { withHandler } from '../response-style.ts';
import { goText, JSON_TYPE } from './answers.ts';
import { escaped, isEscaped } from './escaping.ts';

/** What can be no field name is no field there either, and stands in the content all the same. */
function answer(request: Request): Reply {
  const pairs = [...queryOf(request, 'latin1')];
  const given = pairs.find(([name]) => name.toLowerCase() === 'content-type');
  if (!given) pairs.push(['Content-Type', JSON_TYPE]);
  const fields = pairs.filter(([name]) => isToken(name));
  checkFields(fields);
  const show = isEscaped(given?.[1] ?? JSON_TYPE) ? escaped : (text: string): string => text;
  const shown = pairs.map((pair): [string, string] => {
    const [name, value] = pair.map((bytes) => show(decodeFieldText(bytes)));
    return [name ?? '', value ?? ''];
  });
  const payload = Buffer.from(goText(valuesByName(shown)));
  return {
    status: 200,
    fields: [...fields.flat(), ...nosniffFor(fields)],
    payload,
    replacesDefaults: true,
  };
}

export const headers: Endpoint = withHandler(responseHeaders, answer, [JSON_TYPE]);
