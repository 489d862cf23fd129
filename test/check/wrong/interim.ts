import { listOf } from '../../../src/check/message.ts';
import { Malformed } from '../_bytes.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { wrong, keepingFields, silent, type WrongProxy } from '../_wrong.ts';

const dropping = (...codes: readonly number[]): Deviation => ({
  interim: (head) => (codes.includes(head.status) ? undefined : head),
});

const failingFor = (code: number): Deviation => ({
  interim: (head) => {
    if (head.status === code) throw new Malformed('1xx', 502);
    return head;
  },
});

/** Gateways that lose or make interim responses. */
export const wrongInterims: readonly WrongProxy[] = [
  wrong('loses 103', dropping(103), {
    'interim/103-forwarded': 'fail',
    'interim/several-forwarded': 'fail',
    'interim/103-link': 'blocked',
  }),
  wrong('loses 102', dropping(102), {
    'interim/102-forwarded': 'fail',
    'interim/several-forwarded': 'fail',
  }),
  wrong('loses unknown interim responses', dropping(199), {
    'interim/unregistered-forwarded': 'fail',
  }),
  silent('loses 100', dropping(100), { 'http/1.1 expect/continue': 'fail' }),
  wrong('fails for 103', failingFor(103), {
    'interim/103': 'fail',
    'interim/several': 'fail',
    'interim/103-forwarded': 'blocked',
    'interim/103-link': 'blocked',
    'interim/several-forwarded': 'blocked',
  }),
  wrong('fails for 102', failingFor(102), {
    'interim/102': 'fail',
    'interim/several': 'fail',
    'interim/102-forwarded': 'blocked',
    'interim/several-forwarded': 'blocked',
  }),
  wrong('fails for an unknown interim response', failingFor(199), {
    'interim/unregistered': 'fail',
    'interim/unregistered-forwarded': 'blocked',
  }),
  wrong(
    'drops the fields of 103',
    { interim: ({ status }) => ({ status, fields: [] }) },
    {
      'interim/103-link': 'fail',
    },
  ),
  wrong('sends 1xx to HTTP/1.0', { sendsInterimToHttp10: true }, { 'interim/http10': 'fail' }),
  wrong(
    'sends 100 by itself',
    {
      waitsForRequest: ({ fields: lines, version }) =>
        version === '1.1' && listOf(lines, 'expect').includes('100-continue'),
    },
    { 'expect/refused': 'differs' },
  ),
  wrong(
    'forwards 100 to HTTP/1.0',
    {
      sendsInterimToHttp10: true,
      request: ({ fields: sent }, { version }) => {
        if (version === '1.0') sent.push(['Expect', '100-continue']);
      },
    },
    { 'expect/http10': 'fail', 'interim/http10': 'fail' },
  ),
  wrong(
    'ignores unknown expectations',
    keepingFields((_name, value) => value !== 'check-expectation'),
    {
      'expect/unknown': 'differs',
    },
  ),
];
