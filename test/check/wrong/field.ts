import { valuesOf } from '../../../src/check/message.ts';
import {
  changingResponseFields,
  changingValues,
  keepingFields,
  mapped,
  onRequest,
  readingHeads,
  type WrongProxy,
  wrong,
} from '../_wrong.ts';

/** Gateways that change the fields of requests. */
export const wrongFields: readonly WrongProxy[] = [
  wrong(
    'drops fields with an underscore',
    keepingFields((name) => !name.includes('_')),
    {
      'field/underscore': 'fail',
    },
  ),
  wrong(
    'drops fields with a dot',
    keepingFields((name) => !name.includes('.')),
    {
      'field/dot': 'fail',
    },
  ),
  wrong(
    'drops fields with unusual characters',
    keepingFields((name) => /^[\w.-]+$/.test(name)),
    {
      'field/token-characters': 'fail',
    },
  ),
  wrong(
    'drops a field that it does not know',
    keepingFields((name) => name !== 'x-check-unknown'),
    {
      'field/unknown': 'fail',
    },
  ),
  wrong(
    'drops Authorization',
    keepingFields((name) => name !== 'authorization'),
    {
      'field/authorization': 'fail',
    },
  ),
  wrong(
    'drops Priority',
    keepingFields((name) => name !== 'priority'),
    { 'field/priority': 'fail' },
  ),
  wrong(
    'drops traceparent',
    keepingFields((name) => name !== 'traceparent'),
    {
      'field/traceparent': 'differs',
    },
  ),
  wrong(
    'drops empty fields',
    keepingFields((_name, value) => value !== ''),
    {
      'field/empty-value': 'fail',
    },
  ),
  wrong(
    'cuts long values',
    changingValues((value) => value.slice(0, 1024)),
    { 'field/long': 'fail' },
  ),
  wrong(
    'forwards 60 fields at most',
    onRequest((request) => {
      const own = request.fields.splice(-6);
      request.fields = [...request.fields.slice(0, 60), ...own];
    }),
    { 'field/many': 'fail' },
  ),
  wrong(
    'removes bytes above 0x7F',
    changingValues((value) => value.replaceAll(/[\u0080-\u00ff]/g, '')),
    { 'field/obs-text': 'fail' },
  ),
  wrong(
    'merges white space',
    changingValues((value) => value.replaceAll(/ +/g, ' ')),
    { 'field/whitespace-inside': 'fail' },
  ),
  wrong(
    'encodes white space around values',
    readingHeads(/^(X-Check-Space:).*$/m, '$1 %20value%20'),
    { 'field/whitespace-around': 'fail' },
  ),
  wrong(
    'makes tabs spaces',
    changingValues((value) => value.replaceAll('\t', ' ')),
    { 'field/tab-inside': 'fail' },
  ),
  wrong(
    'decodes values',
    changingValues((value) => value.replaceAll('%2F', '/')),
    { 'field/percent': 'fail' },
  ),
  wrong(
    'unquotes values',
    changingValues((value) => value.replaceAll(String.raw`\"`, '')),
    { 'field/quotes': 'fail' },
  ),
  wrong(
    'reverses the lines of a field',
    onRequest((request) => {
      const lines = request.fields.filter(([name]) => /^x-check-repeated$/i.test(name));
      request.fields = request.fields.map((line) =>
        lines.includes(line) ? (lines.pop() ?? line) : line,
      );
    }),
    { 'field/repeated': 'fail' },
  ),
  wrong(
    'keeps the last line of a field only',
    onRequest((request) => {
      request.fields = [
        ...new Map(request.fields.map((line) => [line[0].toLowerCase(), line])).values(),
      ];
    }),
    { 'field/repeated': 'fail', 'hop/via-appended': 'fail' },
  ),
  wrong(
    'sorts fields',
    onRequest((request) => {
      request.fields.sort(([a], [b]) => a.localeCompare(b));
    }),
    { 'field/order': 'differs' },
  ),
  wrong(
    'changes the case of names',
    onRequest((request) => {
      request.fields = request.fields.map(([name, value]) => [name.toLowerCase(), value]);
    }),
    { 'field/name-case': 'differs' },
  ),
  wrong(
    'decrements Max-Forwards',
    changingValues((value, name) => (name === 'max-forwards' ? String(Number(value) - 1) : value)),
    { 'field/max-forwards': 'differs' },
  ),
  wrong(
    'drops a field line that it has seen before',
    onRequest((request) => {
      const seen = new Set<string>();
      request.fields = request.fields.filter(([name, value]) => {
        const line = `${name.toLowerCase()}: ${value}`;
        const isNew = !seen.has(line);
        seen.add(line);
        return isNew;
      });
    }),
    { 'field/equal-lines': 'fail' },
  ),
  wrong(
    'keeps the last cookie of each name',
    changingValues((value, name) => {
      if (name !== 'cookie') return value;
      const pairs = new Map(value.split('; ').map((pair) => [pair.split('=')[0], pair]));
      return [...pairs.values()].join('; ');
    }),
    { 'cookie/equal-names': 'fail' },
  ),
  wrong(
    'drops attributes of cookies that it does not know',
    changingResponseFields((fields) =>
      mapped(fields, (value, name) =>
        name === 'set-cookie' ? value.replace(/; Partitioned/, '') : value,
      ),
    ),
    { 'cookie/attributes': 'fail' },
  ),
  wrong(
    'forwards the first cookie only',
    changingValues((value, name) => (name === 'cookie' ? (value.split(';')[0] ?? '') : value)),
    { 'cookie/request': 'fail', 'cookie/equal-names': 'fail', 'cookie/crumbs': 'blocked' },
  ),
  wrong(
    'joins cookies by commas',
    changingValues((value, name) =>
      name === 'cookie' && !value.includes('"') ? value.replaceAll('; ', ', ') : value,
    ),
    { 'cookie/crumbs': 'fail' },
  ),
  wrong(
    'sends several Cookie lines on HTTP/1.1',
    onRequest((request, client) => {
      if (valuesOf(client.fields, 'cookie').length < 2) return;
      request.fields = request.fields.flatMap(([name, value]) =>
        name === 'Cookie'
          ? value.split('; ').map((crumb) => [name, crumb] as const)
          : [[name, value] as const],
      );
    }),
    { 'cookie/crumbs': 'fail' },
  ),
];
