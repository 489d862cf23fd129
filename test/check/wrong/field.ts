import { valuesOf } from '../../../src/check/message.ts';
import {
  changesRequest,
  changingValues,
  differs,
  keepingFields,
  mapped,
  without,
  readingHeads,
  wrong,
  type WrongProxy,
  keepsFields,
  changesValues,
  changesResponseFields,
} from '../_wrong.ts';

/** Fails one check of fields by what it makes of values. */
const changed = (
  name: string,
  id: string,
  change: Parameters<typeof changingValues>[0],
): WrongProxy => changesValues(name, `field/${id}`, change);

/** The same by the fields that it keeps. */
const kept = (name: string, id: string, isKept: Parameters<typeof keepingFields>[0]): WrongProxy =>
  keepsFields(name, `field/${id}`, isKept);

/** Gateways that change the fields of requests. */
export const wrongFields: readonly WrongProxy[] = [
  keepsFields(
    'drops fields with an underscore',
    {
      'field/underscore': 'fail',
      'forwarding/alias-for': 'pass',
      'forwarding/alias-length': 'pass',
    },
    (name) => !name.includes('_'),
  ),
  kept('drops fields with a dot', 'dot', (name) => !name.includes('.')),
  kept('drops fields with unusual characters', 'token-characters', (name) =>
    /^[\w.-]+$/.test(name),
  ),
  kept('drops a field that it does not know', 'unknown', (name) => name !== 'x-check-unknown'),
  kept('drops If-Match', 'if-match', (name) => name !== 'if-match'),
  changesRequest('drops If-Match of DELETE', 'field/if-match', (request) => {
    if (request.method === 'DELETE') request.fields = without(request.fields, 'if-match');
  }),
  kept(
    'drops If-Unmodified-Since',
    'if-unmodified-since',
    (name) => name !== 'if-unmodified-since',
  ),
  changesRequest('drops If-None-Match of PUT', 'field/if-none-match', (request) => {
    if (request.method === 'PUT') request.fields = without(request.fields, 'if-none-match');
  }),
  kept('drops Authorization', 'authorization', (name) => name !== 'authorization'),
  changed('replaces the type of content', 'content-type', (value, name) =>
    name === 'content-type' && value.startsWith('text/x-check') ? 'text/plain' : value,
  ),
  kept('drops Priority', 'priority', (name) => name !== 'priority'),
  keepsFields('drops traceparent', differs('field/traceparent'), (name) => name !== 'traceparent'),
  kept('drops empty fields', 'empty-value', (_name, value) => value !== ''),
  changesValues('cuts long values', ['field/long', 'limit/known-field'], (value) =>
    value.slice(0, 1024),
  ),
  changesRequest('forwards 60 fields at most', 'field/many', (request) => {
    const own = request.fields.splice(-6);
    request.fields = [...request.fields.slice(0, 60), ...own];
  }),
  changed('removes bytes above 0x7F', 'obs-text', (value) =>
    value.replaceAll(/[\u0080-\u00ff]/g, ''),
  ),
  changed('merges white space', 'whitespace-inside', (value) => value.replaceAll(/ +/g, ' ')),
  wrong(
    'encodes white space around values',
    'field/whitespace-around',
    readingHeads(/^(X-Check-Space:).*$/m, '$1 %20value%20'),
  ),
  changed('makes tabs spaces', 'tab-inside', (value) => value.replaceAll('\t', ' ')),
  changed('decodes values', 'percent', (value) => value.replaceAll('%2F', '/')),
  changed('unquotes values', 'quotes', (value) => value.replaceAll(String.raw`\"`, '')),
  changesRequest('reverses the lines of a field', 'field/repeated', (request) => {
    const lines = request.fields.filter(([name]) => /^x-check-repeated$/i.test(name));
    request.fields = request.fields.map((line) =>
      lines.includes(line) ? (lines.pop() ?? line) : line,
    );
  }),
  changesRequest(
    'keeps the last line of a field only',
    ['field/repeated', 'field/equal-lines', 'hop/via-appended'],
    (request) => {
      request.fields = [
        ...new Map(request.fields.map((line) => [line[0].toLowerCase(), line])).values(),
      ];
    },
  ),
  changesRequest('sorts fields', differs('field/order'), (request) => {
    request.fields.sort(([a], [b]) => a.localeCompare(b));
  }),
  changesRequest('changes the case of names', differs('field/name-case'), (request) => {
    request.fields = request.fields.map(([name, value]) => [name.toLowerCase(), value]);
  }),
  changesValues('decrements Max-Forwards', differs('field/max-forwards'), (value, name) =>
    name === 'max-forwards' ? String(Number(value) - 1) : value,
  ),
  changesRequest('keeps two of equal field lines', 'field/equal-lines', (request) => {
    const equal = request.fields.filter(([name]) => /^x-check-equal$/i.test(name));
    request.fields = request.fields.filter((line) => line !== equal[2]);
  }),
  changesRequest('drops a field line that it has seen before', 'field/equal-lines', (request) => {
    const seen = new Set<string>();
    request.fields = request.fields.filter(([name, value]) => {
      const line = `${name.toLowerCase()}: ${value}`;
      const isNew = !seen.has(line);
      seen.add(line);
      return isNew;
    });
  }),
  changesValues('keeps the last cookie of each name', 'cookie/equal-names', (value, name) => {
    if (name !== 'cookie') return value;
    const pairs = new Map(value.split('; ').map((pair) => [pair.split('=')[0], pair]));
    return [...pairs.values()].join('; ');
  }),
  changesResponseFields(
    'drops attributes of cookies that it does not know',
    'cookie/attributes',
    (fields) =>
      mapped(fields, (value, name) =>
        name === 'set-cookie' ? value.replace(/; Partitioned/, '') : value,
      ),
  ),
  changesValues(
    'forwards the first cookie only',
    ['cookie/request', 'cookie/equal-names', 'limit/known-field'],
    (value, name) => (name === 'cookie' ? (value.split(';')[0] ?? '') : value),
  ),
  changesValues(
    'joins cookies by commas',
    ['cookie/crumbs', 'cookie/equal-names', 'limit/known-field'],
    (value, name) =>
      name === 'cookie' && !value.includes('"') ? value.replaceAll('; ', ', ') : value,
  ),
  changesRequest('sends several Cookie lines on HTTP/1.1', 'cookie/crumbs', (request, client) => {
    if (valuesOf(client.fields, 'cookie').length < 2) return;
    request.fields = request.fields.flatMap(([name, value]) =>
      name === 'Cookie'
        ? value.split('; ').map((crumb) => [name, crumb] as const)
        : [[name, value] as const],
    );
  }),
];
