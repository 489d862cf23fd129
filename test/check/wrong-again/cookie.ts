import { valuesOf, type FieldLine } from '../../../src/check/message.ts';
import {
  changesRequest,
  without,
  type WrongProxy,
  changesValues,
  changesResponseFields,
} from '../_wrong.ts';

type Values = readonly string[];

const request = (name: string, change: (value: string) => string): WrongProxy =>
  changesValues(name, 'cookie/request', (value, field) =>
    field === 'cookie' ? change(value) : value,
  );

/** Cookies of HTTP/2 as the fields that an origin on HTTP/1.1 receives. */
const crumbs = (name: string, fields: (values: Values) => Values): WrongProxy =>
  changesRequest(name, 'cookie/crumbs', (sent, client) => {
    const values = valuesOf(client.fields, 'cookie');
    if (values.length < 2) return;
    sent.fields = without(sent.fields, 'cookie');
    for (const value of fields(values)) sent.fields.push(['Cookie', value]);
  });

const setCookies = (name: string, id: string, change: (values: Values) => Values): WrongProxy =>
  changesResponseFields(name, `cookie/${id}`, (fields) => [
    ...without(fields, 'set-cookie'),
    ...change(valuesOf(fields, 'set-cookie')).map((value) => ['Set-Cookie', value] as const),
  ]);

export const cookie: readonly WrongProxy[] = [
  request('cookies are separated by a semicolon only', (value) => value.replaceAll('; ', ';')),
  request('quotes around the value of a cookie are removed', (value) => value.replaceAll('"', '')),
  request('cookies are sorted', (value) => value.split('; ').toReversed().join('; ')),
  changesRequest('each cookie is a field of its own', 'http/1.1 cookie/request', (sent) => {
    sent.fields = sent.fields.flatMap(([name, value]): FieldLine[] =>
      name === 'Cookie' ? value.split('; ').map((each) => [name, each]) : [[name, value]],
    );
  }),
  crumbs('crumbs are joined without a space', (values) => [values.join(';')]),
  crumbs('the last crumb is a field of its own', ([a, b, c = '']) => [`${a}; ${b}`, c]),
  crumbs('crumbs end with a separator', (values) => [`${values.join('; ')};`]),
  crumbs('crumbs are joined in reverse', (values) => [values.toReversed().join('; ')]),
  setCookies('Set-Cookie is split at a comma', 'set-cookie', (values) =>
    values.flatMap((each) => each.split(',')),
  ),
  setCookies('the last Set-Cookie are combined', 'set-cookie', ([a = '', ...rest]) =>
    [a, rest.join(', ')].filter(Boolean),
  ),
  setCookies('Set-Cookie with a path comes last', 'set-cookie', (values) =>
    values.toSorted((a, b) => Number(a.includes('Path')) - Number(b.includes('Path'))),
  ),
  setCookies('Set-Cookie gets an attribute', 'attributes', (values) =>
    values.map((each) => `${each}; SameSite=Lax`),
  ),
  setCookies('the first Set-Cookie is sent again', 'set-cookie', (values) => [
    ...values,
    ...values.slice(0, 1),
  ]),
  setCookies('Set-Cookie loses its attributes', 'attributes', (values) =>
    values.map((each) => each.replace(/;.*/, '')),
  ),
];
