import {
  by,
  changesResponse,
  differs,
  without,
  wrong,
  type WrongProxy,
  changesResponseFields,
} from '../_wrong.ts';
import { changingValue, replacing } from './_fields.ts';

const isNow = (date: string): boolean => Date.now() - Date.parse(date) < 60_000;

const values = (name: string, change: Parameters<typeof replacing>[1]): WrongProxy =>
  wrong(name, 'response/repeated', replacing('x-check-repeated', change));

const addedDate = (name: string, change: (value: string) => string): WrongProxy =>
  changesValue(name, 'response/date-added', 'date', (value) =>
    isNow(value) ? change(value) : value,
  );

const changesValue = by(changingValue);

export const responseFields: readonly WrongProxy[] = [
  changesResponseFields(
    'removes response fields with an underscore in the name',
    differs('response/fields'),
    (all) => all.filter(([name]) => !name.includes('_')),
  ),
  changesResponseFields(
    'makes the underscore in the name of a response field a hyphen',
    differs('response/fields'),
    (all) => all.map(([name, value]) => [name.replaceAll('_', '-'), value]),
  ),
  changesValue(
    'cuts the value of a response field at a space',
    'response/fields',
    'x-check-response',
    (value) => value.replace(/ .*/, ''),
  ),
  values('joins repeated response fields by a semicolon', (all) => [all.join('; ')]),
  values('joins repeated response fields in reverse', (all) => [all.toReversed().join(', ')]),
  values('repeats the last of repeated response fields', (all) => [...all, all.at(-1) ?? '']),
  changesValue(
    'removes the last byte of a long response field',
    'response/long-field',
    'x-check-long',
    (value) => value.slice(0, -1),
  ),
  wrong(
    'splits a long response field',
    'response/long-field',
    replacing('x-check-long', ([value = '']) => [value.slice(0, 4096), value.slice(4096)]),
  ),
  changesValue(
    'joins Date with its own',
    'response/date',
    'date',
    (value) => `${value}, ${new Date().toUTCString()}`,
  ),
  changesValue('makes Date one of ISO 8601', 'response/date', 'date', (value) =>
    new Date(value).toISOString(),
  ),
  changesResponse('removes Date on HTTP/2', 'h2 response/date', (response, { version }) => {
    if (version === '2.0') response.fields = without(response.fields, 'date');
  }),
  changesResponse('adds no Date on HTTP/2', 'h2 response/date-added', (response, { version }) => {
    if (version === '2.0')
      response.fields = response.fields.filter(
        ([name, value]) => name.toLowerCase() !== 'date' || !isNow(value),
      );
  }),
  addedDate('adds Date in ISO 8601', (value) => new Date(value).toISOString()),
  addedDate('adds an empty Date', () => ''),
  changesResponseFields(
    'sends Server of its own in a second line',
    differs('response/server'),
    (all) =>
      all.some(([name]) => name.toLowerCase() === 'server') ? [...all, ['Server', 'gateway']] : all,
  ),
];
