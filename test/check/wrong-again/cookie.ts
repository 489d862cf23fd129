import { valuesOf, type FieldLine } from '../../../src/check/message.ts';
import {
  changingResponseFields,
  changingValues,
  onRequest,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

const changingCookie = (change: (value: string) => string): Deviation =>
  changingValues((value, name) => (name === 'cookie' ? change(value) : value));

/** Cookies of HTTP/2 as the fields that an origin on HTTP/1.1 receives. */
const crumbs = (fields: (values: readonly string[]) => readonly string[]): Deviation =>
  onRequest((request, client) => {
    const values = valuesOf(client.fields, 'cookie');
    if (values.length < 2) return;
    request.fields = without(request.fields, 'cookie');
    for (const value of fields(values)) request.fields.push(['Cookie', value]);
  });

const setCookies = (change: (values: readonly string[]) => readonly string[]): Deviation =>
  changingResponseFields((fields) => [
    ...without(fields, 'set-cookie'),
    ...change(valuesOf(fields, 'set-cookie')).map((value) => ['Set-Cookie', value] as const),
  ]);

export const cookie: readonly WrongProxy[] = [
  wrong(
    'cookies are separated by a semicolon only',
    changingCookie((value) => value.replaceAll('; ', ';')),
    {
      'cookie/request': 'fail',
    },
  ),
  wrong(
    'quotes around the value of a cookie are removed',
    changingCookie((value) => value.replaceAll('"', '')),
    {
      'cookie/request': 'fail',
    },
  ),
  wrong(
    'cookies are sorted',
    changingCookie((value) => value.split('; ').toReversed().join('; ')),
    {
      'cookie/request': 'fail',
    },
  ),
  wrong(
    'each cookie is a field of its own',
    onRequest((request) => {
      request.fields = request.fields.flatMap(([name, value]): FieldLine[] =>
        name === 'Cookie' ? value.split('; ').map((each) => [name, each]) : [[name, value]],
      );
    }),
    { 'http/1.1 cookie/request': 'fail' },
  ),
  wrong(
    'crumbs are joined without a space',
    crumbs((values) => [values.join(';')]),
    { 'cookie/crumbs': 'fail' },
  ),
  wrong(
    'the last crumb is a field of its own',
    crumbs(([a, b, c = '']) => [`${a}; ${b}`, c]),
    {
      'cookie/crumbs': 'fail',
    },
  ),
  wrong(
    'crumbs end with a separator',
    crumbs((values) => [`${values.join('; ')};`]),
    { 'cookie/crumbs': 'fail' },
  ),
  wrong(
    'crumbs are joined in reverse',
    crumbs((values) => [values.toReversed().join('; ')]),
    {
      'cookie/crumbs': 'fail',
    },
  ),
  wrong(
    'Set-Cookie is split at a comma',
    setCookies((values) => values.flatMap((each) => each.split(','))),
    {
      'cookie/set-cookie': 'fail',
    },
  ),
  wrong(
    'the last Set-Cookie are combined',
    setCookies(([a = '', ...rest]) => [a, rest.join(', ')].filter(Boolean)),
    {
      'cookie/set-cookie': 'fail',
    },
  ),
  wrong(
    'Set-Cookie with a path comes last',
    setCookies((values) =>
      values.toSorted((a, b) => Number(a.includes('Path')) - Number(b.includes('Path'))),
    ),
    {
      'cookie/set-cookie': 'fail',
    },
  ),
  wrong(
    'Set-Cookie gets an attribute',
    setCookies((values) => values.map((each) => `${each}; SameSite=Lax`)),
    {
      'cookie/attributes': 'fail',
    },
  ),
  wrong(
    'the first Set-Cookie is sent again',
    setCookies((values) => [...values, ...values.slice(0, 1)]),
    {
      'cookie/set-cookie': 'fail',
    },
  ),
  wrong(
    'Set-Cookie loses its attributes',
    setCookies((values) => values.map((each) => each.replace(/;.*/, ''))),
    { 'cookie/attributes': 'fail' },
  ),
];
