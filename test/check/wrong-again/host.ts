import { valuesOf } from '../../../src/check/message.ts';
import { answering, onRequest, relaying, wrong, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

const fails = (...ids: readonly string[]): WrongProxy['turns'] =>
  Object.fromEntries(ids.map((id) => [`host/${id}`, 'fail']));

const head = (name: string, from: RegExp, to: string, ...ids: readonly string[]): WrongProxy =>
  wrong(name, { readHead: (text) => text.replace(from, to) }, fails(...ids));

const answered =
  (status: string) =>
  (text: string): string =>
    text.replace(/^HTTP\/1\.1 400[^\r]*/, `HTTP/1.1 ${status}`);

const hasNoHost = (text: string): boolean =>
  /^GET \/[^]*\r\n\r\n/.test(text) && !/\nHost: /.test(text);

const withOther = (change: (host: string) => string): Deviation =>
  onRequest((request, client) => {
    if (valuesOf(client.fields, 'host').includes('other.example'))
      request.host = change(request.host);
  });

export const host: readonly WrongProxy[] = [
  wrong(
    'Host loses its port',
    onRequest((request) => void (request.host = request.host.replace(/:\d+$/, ''))),
    fails('preserved'),
  ),
  wrong(
    'Host gets a final dot',
    onRequest((request) => void (request.host = request.host.replace(/:/, '.:'))),
    fails('preserved'),
  ),
  wrong(
    'Host is sent twice',
    onRequest((request) => void request.fields.push(['Host', request.host])),
    fails('one'),
  ),
  wrong(
    'Host is a list of itself',
    onRequest((request) => void (request.host += `, ${request.host}`)),
    fails('one'),
  ),
  wrong(
    'Host is sent twice, the second empty',
    onRequest((request) => void request.fields.push(['Host', ''])),
    fails('one'),
  ),
  wrong('a missing Host is refused by 421', answering(hasNoHost, 421), fails('missing')),
  wrong(
    'a request without Host is one of HTTP/1.0',
    { readHead: (text) => (/\nHost:/i.test(text) ? text : text.replace('HTTP/1.1', 'HTTP/1.0')) },
    fails('missing'),
  ),
  wrong(
    'a missing Host is empty',
    { readHead: (text) => (/\nHost:/i.test(text) ? text : text.replace('\n', '\nHost: \r\n')) },
    fails('missing'),
  ),
  wrong(
    'a repeated Host is refused by 403',
    answering(
      (text) => /\nHost: other/.test(text) && /^GET \/.*\r\nHost: (?!other)/.test(text),
      403,
    ),
    fails('repeated'),
  ),
  head(
    'a second Host is X-Forwarded-Host',
    /(\nHost: [^]*\n)Host: other/,
    '$1X-Forwarded-Host: other',
    'repeated',
  ),
  wrong(
    'repeated Host fields are joined',
    relaying(
      /(\nHost: (?!other).*)\r\n(.*\r\n)Host: other/,
      '$1, other\r\n$2X-Was: other',
      answered('200 OK'),
    ),
    fails('repeated'),
  ),
  head('a malformed Host is that after its @', /\nHost: a b@c\/d/, '\nHost: c', 'malformed'),
  head(
    'a malformed Host is percent-encoded',
    /\nHost: a b@c\/d/,
    '\nHost: a%20b%40c%2Fd',
    'malformed',
  ),
  head('a malformed Host ends at its space', /\nHost: a b@c\/d/, '\nHost: a', 'malformed'),
  head(
    'the authority of a target replaces Host without its port',
    /^(GET http:\/\/[^:/]+):\d+/,
    '$1',
    'absolute-form',
  ),
  wrong(
    'the absolute form is forwarded with the Host of the client',
    relaying(/^(GET http:)/, '$1'),
    fails('absolute-form'),
  ),
  wrong(
    'a Host that differs is appended',
    withOther((name) => `${name}, other.example`),
    fails('absolute-form', 'differs-from-authority'),
  ),
  wrong(
    'a Host that differs wins',
    withOther(() => 'other.example'),
    { 'h2 host/differs-from-authority': 'fail' },
  ),
  wrong(
    'a Host that differs is sent first',
    onRequest((request, client) => {
      if (client.version !== '2.0' || !valuesOf(client.fields, 'host').includes('other.example'))
        return;
      request.fields.push(['Host', request.host]);
      request.host = 'other.example';
    }),
    fails('differs-from-authority'),
  ),
  wrong(
    'a Host that differs is the authority with the other port',
    withOther((name) => name.replace(/^[^:]*/, 'other.example')),
    fails('differs-from-authority'),
  ),
  wrong(
    'a connection ends without a response at a missing Host',
    answering(hasNoHost),
    fails('missing'),
  ),
  wrong(
    'a missing Host is added, and the response replaced by 400',
    {
      raw: (text) =>
        /^GET \/[^]*\r\n\r\n/.test(text) && !/\nHost: /.test(text)
          ? text.replace('\n', '\nHost: a\r\n')
          : undefined,
      rawResponse: (text) => text.replace(/^HTTP\/1\.1 200 OK/, 'HTTP/1.1 400 -'),
    },
    fails('missing'),
  ),
  wrong(
    'a connection ends without a response at a malformed Host',
    answering((text) => /\nHost: a b@/.test(text)),
    fails('malformed'),
  ),
  wrong(
    'the Host of an absolute form has the port of its target',
    withOther((name) => name.replace(/^[^:]*/, 'other.example')),
    fails('absolute-form'),
  ),
  wrong(
    'a Host that differs wins in upper case',
    withOther(() => 'OTHER.EXAMPLE'),
    fails('absolute-form', 'differs-from-authority'),
  ),
  wrong(
    'a Host that differs gets a final dot',
    withOther(() => 'other.example.'),
    { 'h2 host/differs-from-authority': 'fail' },
  ),
];
