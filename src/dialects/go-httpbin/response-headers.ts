import { checkFields, responseHeaders } from '../../endpoints/response-headers.ts';
import { queryOf, type Endpoint } from '../../http/endpoint.ts';
import type { Request } from '../../http/exchange.ts';
import { fieldText, isToken } from '../../http/fields.ts';
import type { Reply } from '../../http/reply.ts';
import { nosniffBeside } from '../../http/safety.ts';
import { valuesByName } from '../../views/dialects/go-fields.ts';
import { answeredBy } from '../manner.ts';
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
    const [name, value] = pair.map((octets) => show(fieldText(octets)));
    return [name ?? '', value ?? ''];
  });
  const payload = Buffer.from(goText(valuesByName(shown)));
  return {
    status: 200,
    fields: [...fields.flat(), ...nosniffBeside(fields)],
    payload,
    replacesDefaults: true,
  };
}

export const headers: Endpoint = answeredBy(responseHeaders, answer, [JSON_TYPE]);
