import { valuesOf, type FieldLine } from '../../../src/check/message.ts';
import { changesRequest, changingValues, without, wrong, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

const X_CHECK = /^x-check-(?:value|unknown)$/;

/** A gateway that fails one check of fields. */
const fails = (name: string, id: string, deviation: Deviation): WrongProxy =>
  wrong(name, `field/${id}`, deviation);

type Change = (value: string, name: string) => string;
const changedAll = (name: string, id: string, change: Change): WrongProxy =>
  fails(name, id, changingValues(change));

/** Changes the value of the field that the checks send. */
const changed = (name: string, id: string, change: (value: string) => string): WrongProxy =>
  changedAll(name, id, (value, each) => (X_CHECK.test(each) ? change(value) : value));

const replaced = (name: string, id: string, change: (line: FieldLine) => FieldLine[]): WrongProxy =>
  fails(name, id, {
    request: (request) => {
      request.fields = request.fields.flatMap(change);
    },
  });

const renamed = (name: string, id: string, change: (name: string) => string): WrongProxy =>
  replaced(name, id, ([each, value]) => [[change(each), value]]);

/** Joins the lines of the field that the checks repeat. */
const joined = (name: string, separator: string, order: readonly number[]): WrongProxy =>
  fails(name, 'repeated', {
    request: (request) => {
      const values = valuesOf(request.fields, 'x-check-repeated');
      if (values.length < 2) return;
      request.fields = without(request.fields, 'x-check-repeated');
      request.fields.push(['x-check-repeated', order.map((at) => values[at]).join(separator)]);
    },
  });

const LIMIT = 79;

export const field: readonly WrongProxy[] = [
  replaced('fields are sent twice', 'unknown', (line) =>
    /^x-check/i.test(line[0]) ? [line, line] : [line],
  ),
  renamed('unknown fields get a prefix', 'unknown', (name) =>
    name.replace(/^x-check-u/i, 'X-Client-X-Check-U'),
  ),
  renamed('underscores become hyphens', 'underscore', (name) => name.replaceAll('_', '-')),
  renamed('dots become underscores', 'dot', (name) => name.replaceAll('.', '_')),
  renamed('a bar in a name is percent-encoded', 'token-characters', (name) =>
    name.replaceAll('|', '%7C'),
  ),
  replaced('fields with a quote in their name are dropped', 'token-characters', (line) =>
    line[0].includes("'") ? [] : [line],
  ),
  joined('repeated fields are joined by a semicolon', '; ', [0, 1, 2]),
  joined('the last repeated fields change places', ', ', [0, 2, 1]),
  joined('the last of repeated fields is dropped', ', ', [0, 1]),
  joined('repeated fields are joined by a space', ' ', [0, 1, 2]),
  changed('an empty value is quoted', 'empty-value', (value) => value || '""'),
  changedAll('tabs around a value are percent-encoded', 'whitespace-around', (value, name) =>
    name === 'x-check-space' ? `%09 ${value} %09` : value,
  ),
  changed('three spaces become two', 'whitespace-inside', (value) => value.replace('   ', '  ')),
  changed('a tab becomes eight spaces', 'tab-inside', (value) =>
    value.replace('\t', ' '.repeat(8)),
  ),
  changed('a value is encoded in UTF-8 twice', 'obs-text', (value) =>
    Buffer.from(value).toString('latin1'),
  ),
  changed('UTF-8 becomes Latin-1', 'obs-text', (value) => Buffer.from(value, 'latin1').toString()),
  replaced('a value is split at its comma', 'quotes', ([name, value]) =>
    X_CHECK.test(name.toLowerCase())
      ? value.split(', ').map((each) => [name, each])
      : [[name, value]],
  ),
  changed('needless escapes are doubled', 'quotes', (value) => value.replaceAll('\\', '\\\\')),
  changed('hexadecimal digits become lower case', 'percent', (value) =>
    value.replace('%2F', '%2f'),
  ),
  changed('a long value loses its last byte', 'long', (value) =>
    value.length > 4000 ? value.slice(0, -1) : value,
  ),
  replaced('a long value is split into two lines', 'long', ([name, value]) =>
    value.length > 4000
      ? [
          [name, value.slice(0, 4000)],
          [name, value.slice(4000)],
        ]
      : [[name, value]],
  ),
  replaced('the last of many fields is dropped', 'many', (line) =>
    line[0].toLowerCase() === `x-check-${LIMIT}` ? [] : [line],
  ),
  changedAll('the last of many fields has the value of the one before', 'many', (value, name) =>
    name === `x-check-${LIMIT}` ? String(LIMIT - 1) : value,
  ),
  changedAll('padding of credentials is dropped', 'authorization', (value, name) =>
    name === 'authorization' ? value.replace(/=+$/, '') : value,
  ),
  changedAll('the scheme of credentials is in lower case', 'authorization', (value) =>
    value.replace(/^Bearer /, 'bearer '),
  ),
  replaced('Authorization is sent under a second name, too', 'authorization', (line) =>
    /^authorization$/i.test(line[0]) ? [line, line] : [line],
  ),
  changedAll('Priority is the default', 'priority', (value, name) =>
    name === 'priority' ? 'u=3' : value,
  ),
  changesRequest('Priority of HTTP/2 is not forwarded', 'h2 field/priority', (request, client) => {
    if (client.version === '2.0')
      request.fields = request.fields.filter(([name]) => name.toLowerCase() !== 'priority');
  }),
  changesRequest(
    'unknown fields of requests with content are dropped',
    'field/unknown',
    (request, client) => {
      if (client.framing !== 'none')
        request.fields = request.fields.filter(([name]) => !/^x-check-/i.test(name));
    },
  ),
];
