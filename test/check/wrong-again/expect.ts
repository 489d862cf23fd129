import { listOf, valuesOf } from '../../../src/check/message.ts';
import {
  changingStatus,
  changingValues,
  onRequest,
  silent,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

export const expectation: readonly WrongProxy[] = [
  silent(
    '100 becomes 102',
    { interim: (head) => (head.status === 100 ? { ...head, status: 102 } : head) },
    { 'expect/continue': 'fail' },
  ),
  silent(
    'Expect is dropped for POST',
    onRequest((request) => {
      if (request.method === 'POST') request.fields = without(request.fields, 'expect');
    }),
    { 'expect/continue': 'fail' },
  ),
  wrong('417 becomes 413', changingStatus(417, 413), { 'expect/refused': 'fail' }),
  wrong('417 becomes 200', changingStatus(417, 200), { 'expect/refused': 'fail' }),
  wrong(
    '100 is sent before the origin has answered',
    { waitsForRequest: (request) => listOf(request.fields, 'expect').length > 0 },
    { 'expect/refused': 'fail' },
  ),
  wrong(
    'an unknown expectation is dropped on HTTP/2',
    onRequest((request, client) => {
      if (client.version === '2.0') request.fields = without(request.fields, 'expect');
    }),
    { 'h2 expect/unknown': 'fail' },
  ),
  wrong(
    'an unknown expectation becomes 100-continue',
    changingValues((value, name) => (name === 'expect' ? '100-continue' : value)),
    { 'expect/unknown': 'fail' },
  ),
  wrong(
    'an unknown expectation is refused by 400',
    {
      refuses: ({ fields }) =>
        valuesOf(fields, 'expect').includes('check-expectation') ? 400 : undefined,
    },
    { 'expect/unknown': 'fail' },
  ),
  wrong(
    'an unknown expectation is answered with 200 by the gateway',
    {
      refuses: ({ fields }) =>
        valuesOf(fields, 'expect').includes('check-expectation') ? 200 : undefined,
    },
    { 'expect/unknown': 'fail' },
  ),
  wrong(
    '100 is sent to HTTP/1.0 where content is waited for',
    { waitsForRequest: () => true },
    { 'expect/http10': 'fail' },
  ),
  wrong(
    'a request with Expect from HTTP/1.0 is refused by 417',
    {
      refuses: ({ fields, version }) =>
        version === '1.0' && valuesOf(fields, 'expect').length > 0 ? 417 : undefined,
    },
    { 'expect/http10': 'fail' },
  ),
  wrong(
    'Expect from HTTP/1.0 is forwarded',
    onRequest((request, client) => {
      if (client.version === '1.0' && valuesOf(client.fields, 'expect').length > 0)
        request.fields.push(['Expect', '100-continue']);
    }),
    { 'expect/http10': 'fail' },
  ),
  wrong(
    'the gateway itself refuses 100-continue',
    {
      refuses: ({ fields }) =>
        listOf(fields, 'expect').includes('100-continue') ? 417 : undefined,
    },
    { 'expect/refused': 'fail' },
  ),
];
