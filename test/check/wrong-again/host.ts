import { valuesOf } from '../../../src/check/message.ts';
import {
  answering,
  changesRequest,
  onRequest,
  relaying,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

const head = (name: string, from: RegExp, to: string, ...ids: readonly string[]): WrongProxy =>
  wrong(
    name,
    ids.map((id) => `host/${id}`),
    { readHead: (text) => text.replace(from, to) },
  );

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
  changesRequest(
    'Host loses its port',
    'host/preserved',
    (request) => void (request.host = request.host.replace(/:\d+$/, '')),
  ),
  changesRequest(
    'Host gets a final dot',
    'host/preserved',
    (request) => void (request.host = request.host.replace(/:/, '.:')),
  ),
  changesRequest(
    'Host is sent twice',
    'host/one',
    (request) => void request.fields.push(['Host', request.host]),
  ),
  changesRequest(
    'Host is a list of itself',
    'host/one',
    (request) => void (request.host += `, ${request.host}`),
  ),
  changesRequest(
    'Host is sent twice, the second empty',
    'host/one',
    (request) => void request.fields.push(['Host', '']),
  ),
  wrong('a missing Host is refused by 421', 'host/missing', answering(hasNoHost, 421)),
  wrong('a request without Host is one of HTTP/1.0', 'host/missing', {
    readHead: (text) => (/\nHost:/i.test(text) ? text : text.replace('HTTP/1.1', 'HTTP/1.0')),
  }),
  wrong('a missing Host is empty', 'host/missing', {
    readHead: (text) => (/\nHost:/i.test(text) ? text : text.replace('\n', '\nHost: \r\n')),
  }),
  wrong(
    'a repeated Host is refused by 403',
    'host/repeated',
    answering(
      (text) => /\nHost: other/.test(text) && /^GET \/.*\r\nHost: (?!other)/.test(text),
      403,
    ),
  ),
  head(
    'a second Host is X-Forwarded-Host',
    /(\nHost: [^]*\n)Host: other/,
    '$1X-Forwarded-Host: other',
    'repeated',
  ),
  wrong(
    'repeated Host fields are joined',
    'host/repeated',
    relaying(
      /(\nHost: (?!other).*)\r\n(.*\r\n)Host: other/,
      '$1, other\r\n$2X-Was: other',
      answered('200 OK'),
    ),
  ),
  head('a malformed Host is that after its @', /\nHost: a b@c\/d/, '\nHost: c', 'malformed'),
  head(
    'a malformed Host is percent-encoded',
    /\nHost: a b@c\/d/,
    '\nHost: a%20b%40c%2Fd',
    'malformed',
  ),
  head(
    'the authority of a target replaces Host without its port',
    /^(GET http:\/\/[^:/]+):\d+/,
    '$1',
    'absolute-form',
  ),
  wrong(
    'the absolute form is forwarded with the Host of the client',
    'host/absolute-form',
    relaying(/^(GET http:)/, '$1'),
  ),
  wrong(
    'a Host that differs is appended',
    ['host/absolute-form', 'host/differs-from-authority'],
    withOther((name) => `${name}, other.example`),
  ),
  wrong(
    'a Host that differs wins',
    'h2 host/differs-from-authority',
    withOther(() => 'other.example'),
  ),
  changesRequest(
    'a Host that differs is sent first',
    'host/differs-from-authority',
    (request, client) => {
      if (client.version !== '2.0' || !valuesOf(client.fields, 'host').includes('other.example'))
        return;
      request.fields.push(['Host', request.host]);
      request.host = 'other.example';
    },
  ),
  wrong(
    'a Host that differs is the authority with the other port',
    'host/differs-from-authority',
    withOther((name) => name.replace(/^[^:]*/, 'other.example')),
  ),
  wrong(
    'a connection ends without a response at a missing Host',
    'host/missing',
    answering(hasNoHost),
  ),
  wrong('a missing Host is added, and the response replaced by 400', 'host/missing', {
    raw: (text) =>
      /^GET \/[^]*\r\n\r\n/.test(text) && !/\nHost: /.test(text)
        ? text.replace('\n', '\nHost: a\r\n')
        : undefined,
    rawResponse: (text) => text.replace(/^HTTP\/1\.1 200 OK/, 'HTTP/1.1 400 -'),
  }),
  wrong(
    'a connection ends without a response at a malformed Host',
    'host/malformed',
    answering((text) => /\nHost: a b@/.test(text)),
  ),
  wrong(
    'the Host of an absolute form has the port of its target',
    'host/absolute-form',
    withOther((name) => name.replace(/^[^:]*/, 'other.example')),
  ),
  wrong(
    'a Host that differs wins in upper case',
    ['host/absolute-form', 'host/differs-from-authority'],
    withOther(() => 'OTHER.EXAMPLE'),
  ),
  wrong(
    'a Host that differs gets a final dot',
    'h2 host/differs-from-authority',
    withOther(() => 'other.example.'),
  ),
];
