import { listOf, valuesOf } from '../../../src/check/message.ts';
import {
  changesRequest,
  changingStatus,
  onResponse,
  silent,
  without,
  wrong,
  type WrongProxy,
  changesValues,
} from '../_wrong.ts';

export const expectation: readonly WrongProxy[] = [
  silent('100 becomes 102', 'expect/continue', {
    interim: (head) => (head.status === 100 ? { ...head, status: 102 } : head),
  }),
  silent('Expect is dropped for POST', 'expect/continue', {
    request: (request) => {
      if (request.method === 'POST') request.fields = without(request.fields, 'expect');
    },
  }),
  wrong(
    'sends 100, and then 500',
    'expect/continue',
    onResponse((response, { fields }) => {
      if (listOf(fields, 'expect').includes('100-continue') && response.status < 400)
        response.status = 500;
    }),
  ),
  wrong('417 becomes 413', 'expect/refused', changingStatus(417, 413)),
  wrong('417 becomes 200', 'expect/refused', changingStatus(417, 200)),
  changesRequest(
    'an unknown expectation is dropped on HTTP/2',
    'h2 expect/unknown',
    (request, client) => {
      if (client.version === '2.0') request.fields = without(request.fields, 'expect');
    },
  ),
  changesValues('an unknown expectation becomes 100-continue', 'expect/unknown', (value, name) =>
    name === 'expect' ? '100-continue' : value,
  ),
  wrong('an unknown expectation is refused by 400', 'expect/unknown', {
    refuses: ({ fields }) =>
      valuesOf(fields, 'expect').includes('check-expectation') ? 400 : undefined,
  }),
  wrong('an unknown expectation is answered with 200 by the gateway', 'expect/unknown', {
    refuses: ({ fields }) =>
      valuesOf(fields, 'expect').includes('check-expectation') ? 200 : undefined,
  }),
  wrong('100 is sent to HTTP/1.0 where content is waited for', 'expect/http10', {
    waitsForRequest: () => true,
  }),
  wrong('a request with Expect from HTTP/1.0 is refused by 417', 'expect/http10', {
    refuses: ({ fields, version }) =>
      version === '1.0' && valuesOf(fields, 'expect').length > 0 ? 417 : undefined,
  }),
  changesRequest('Expect from HTTP/1.0 is forwarded', 'expect/http10', (request, client) => {
    if (client.version === '1.0' && valuesOf(client.fields, 'expect').length > 0)
      request.fields.push(['Expect', '100-continue']);
  }),
  wrong('the gateway itself refuses 100-continue', 'expect/refused', {
    refuses: ({ fields }) => (listOf(fields, 'expect').includes('100-continue') ? 417 : undefined),
  }),
];
