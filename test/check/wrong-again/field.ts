import { valuesOf, type FieldLine } from '../../../src/check/message.ts';
import { changingValues, onRequest, wrong, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

const X_CHECK = /^x-check-(?:value|unknown)$/;

/** Changes the value of the field that the checks send. */
const changing = (change: (value: string) => string): Deviation =>
  changingValues((value, name) => (X_CHECK.test(name) ? change(value) : value));

const renaming = (change: (name: string) => string): Deviation =>
  onRequest((request) => {
    request.fields = request.fields.map(([name, value]) => [change(name), value]);
  });

const replacing = (change: (line: FieldLine) => FieldLine[]): Deviation =>
  onRequest((request) => {
    request.fields = request.fields.flatMap(change);
  });

const joining = (name: string, separator: string, order: readonly number[]): Deviation =>
  onRequest((request) => {
    const values = valuesOf(request.fields, name);
    if (values.length < 2) return;
    request.fields = request.fields.filter((line) => line[0].toLowerCase() !== name);
    request.fields.push([name, order.map((at) => values[at]).join(separator)]);
  });

const LIMIT = 79;

export const field: readonly WrongProxy[] = [
  wrong(
    'fields are sent twice',
    replacing((line) => (/^x-check/i.test(line[0]) ? [line, line] : [line])),
    {
      'field/unknown': 'fail',
    },
  ),
  wrong(
    'unknown fields get a prefix',
    renaming((name) => name.replace(/^x-check-u/i, 'X-Client-X-Check-U')),
    {
      'field/unknown': 'fail',
    },
  ),
  wrong(
    'underscores become hyphens',
    renaming((name) => name.replaceAll('_', '-')),
    {
      'field/underscore': 'fail',
    },
  ),
  wrong(
    'dots become underscores',
    renaming((name) => name.replaceAll('.', '_')),
    { 'field/dot': 'fail' },
  ),
  wrong(
    'a bar in a name is percent-encoded',
    renaming((name) => name.replaceAll('|', '%7C')),
    {
      'field/token-characters': 'fail',
    },
  ),
  wrong(
    'fields with a quote in their name are dropped',
    replacing((line) => (line[0].includes("'") ? [] : [line])),
    {
      'field/token-characters': 'fail',
    },
  ),
  wrong('repeated fields are joined by a semicolon', joining('x-check-repeated', '; ', [0, 1, 2]), {
    'field/repeated': 'fail',
  }),
  wrong('the last repeated fields change places', joining('x-check-repeated', ', ', [0, 2, 1]), {
    'field/repeated': 'fail',
  }),
  wrong('the last of repeated fields is dropped', joining('x-check-repeated', ', ', [0, 1]), {
    'field/repeated': 'fail',
  }),
  wrong('repeated fields are joined by a space', joining('x-check-repeated', ' ', [0, 1, 2]), {
    'field/repeated': 'fail',
  }),
  wrong(
    'an empty value is quoted',
    changing((value) => value || '""'),
    { 'field/empty-value': 'fail' },
  ),
  wrong(
    'tabs around a value are percent-encoded',
    changingValues((value, name) => (name === 'x-check-space' ? `%09 ${value} %09` : value)),
    { 'field/whitespace-around': 'fail' },
  ),
  wrong(
    'three spaces become two',
    changing((value) => value.replace('   ', '  ')),
    {
      'field/whitespace-inside': 'fail',
    },
  ),
  wrong(
    'a tab becomes eight spaces',
    changing((value) => value.replace('\t', ' '.repeat(8))),
    {
      'field/tab-inside': 'fail',
    },
  ),
  wrong(
    'a value is encoded in UTF-8 twice',
    changing((value) => Buffer.from(value).toString('latin1')),
    {
      'field/obs-text': 'fail',
    },
  ),
  wrong(
    'UTF-8 becomes Latin-1',
    changing((value) => Buffer.from(value, 'latin1').toString()),
    {
      'field/obs-text': 'fail',
    },
  ),
  wrong(
    'a value is split at its comma',
    replacing(([name, value]) =>
      X_CHECK.test(name.toLowerCase())
        ? value.split(', ').map((each) => [name, each])
        : [[name, value]],
    ),
    { 'field/quotes': 'fail' },
  ),
  wrong(
    'needless escapes are doubled',
    changing((value) => value.replaceAll('\\', '\\\\')),
    {
      'field/quotes': 'fail',
    },
  ),
  wrong(
    'valid percent-encoding is decoded',
    changing((value) => value.replace('%2F', '/')),
    {
      'field/percent': 'fail',
    },
  ),
  wrong(
    'hexadecimal digits become lower case',
    changing((value) => value.replace('%2F', '%2f')),
    {
      'field/percent': 'fail',
    },
  ),
  wrong(
    'a long value loses its last byte',
    changing((value) => (value.length > 4000 ? value.slice(0, -1) : value)),
    {
      'field/long': 'fail',
    },
  ),
  wrong(
    'a long value is split into two lines',
    replacing(([name, value]) =>
      value.length > 4000
        ? [
            [name, value.slice(0, 4000)],
            [name, value.slice(4000)],
          ]
        : [[name, value]],
    ),
    { 'field/long': 'fail' },
  ),
  wrong(
    'the last of many fields is dropped',
    replacing((line) => (line[0].toLowerCase() === `x-check-${LIMIT}` ? [] : [line])),
    { 'field/many': 'fail' },
  ),
  wrong(
    'the last of many fields has the value of the one before',
    changingValues((value, name) => (name === `x-check-${LIMIT}` ? String(LIMIT - 1) : value)),
    { 'field/many': 'fail' },
  ),
  wrong(
    'padding of credentials is dropped',
    changingValues((value, name) => (name === 'authorization' ? value.replace(/=+$/, '') : value)),
    {
      'field/authorization': 'fail',
    },
  ),
  wrong(
    'the scheme of credentials is in lower case',
    changingValues((value) => value.replace(/^Bearer /, 'bearer ')),
    {
      'field/authorization': 'fail',
    },
  ),
  wrong(
    'Authorization is sent under a second name, too',
    replacing((line) => (/^authorization$/i.test(line[0]) ? [line, line] : [line])),
    {
      'field/authorization': 'fail',
    },
  ),
  wrong(
    'Priority is the default',
    changingValues((value, name) => (name === 'priority' ? 'u=3' : value)),
    {
      'field/priority': 'fail',
    },
  ),
  wrong(
    'Priority of HTTP/2 is not forwarded',
    onRequest((request, client) => {
      if (client.version === '2.0')
        request.fields = request.fields.filter(([name]) => name.toLowerCase() !== 'priority');
    }),
    { 'h2 field/priority': 'fail' },
  ),
  wrong(
    'unknown fields of requests with content are dropped',
    onRequest((request, client) => {
      if (client.framing !== 'none')
        request.fields = request.fields.filter(([name]) => !/^x-check-/i.test(name));
    }),
    { 'field/unknown': 'fail' },
  ),
];
