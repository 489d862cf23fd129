import { valuesOf } from '../../../src/check/message.ts';
import {
  breaking,
  changesRequest,
  differs,
  onRequest,
  readingHeads,
  wrong,
  type WrongProxy,
  keepsFields,
} from '../_wrong.ts';

/** Forwards a field that only the gateway may set as the client sent it. */
const trusting = (name: string): WrongProxy['deviation'] =>
  onRequest((request, client) => {
    const sent = valuesOf(client.fields, name);
    if (sent.length === 0) return;
    request.fields = request.fields.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
    request.fields.push([name, sent.join(', ')]);
  });

const ALIASES = new Set(['x-original-url', 'x-rewrite-url', 'x_forwarded_for', 'content_length']);

/** Gateways that receive hosts wrongly, or trust what a client says of itself. */
export const wrongHosts: readonly WrongProxy[] = [
  changesRequest(
    'replaces Host',
    differs('host/preserved', 'host/trailing-dot', 'host/case', 'host/default-port'),
    (request) => {
      request.host = 'origin.internal';
    },
  ),
  changesRequest(
    'normalizes hosts',
    differs('host/trailing-dot', 'host/case', 'host/default-port'),
    (request) => {
      request.host = request.host
        .toLowerCase()
        .replace(/\.(?=:|$)/, '')
        .replace(/:80$/, '');
    },
  ),
  breaking('adds another Host', 'host/one', {
    request: (request) => request.fields.push(['Host', 'other.example']),
  }),
  wrong(
    'accepts requests without Host',
    'host/missing',
    readingHeads(/^(GET .*\r\n)(?![^]*^host:)/im, '$1Host: a\r\n'),
  ),
  wrong(
    'takes the first of two hosts',
    'host/repeated',
    readingHeads(/^(host:.*\r\n)([^]*\r\n)?host:.*\r\n/im, '$1$2'),
  ),
  wrong('mends a malformed Host', 'host/malformed', readingHeads(/^Host: a b@c\/d/m, 'Host: a')),
  wrong(
    'prefers Host to an absolute target',
    'host/absolute-form',
    readingHeads(/^(\S+) http:\/\/[^/]*/, '$1 '),
  ),
  changesRequest('prefers Host to :authority', 'host/differs-from-authority', (request, client) => {
    if (client.version === '2.0') request.host = valuesOf(client.fields, 'host')[0] ?? request.host;
  }),
  wrong('trusts X-Forwarded-For', 'forwarding/spoofed-for', trusting('X-Forwarded-For')),
  wrong('trusts Forwarded', 'forwarding/spoofed-forwarded', trusting('Forwarded')),
  wrong('trusts X-Forwarded-Proto', 'forwarding/spoofed-proto', trusting('X-Forwarded-Proto')),
  wrong(
    'trusts X-Forwarded-Host',
    differs('forwarding/spoofed-host'),
    trusting('X-Forwarded-Host'),
  ),
  wrong('trusts X-Real-IP', differs('forwarding/spoofed-real-ip'), trusting('X-Real-IP')),
  keepsFields(
    'removes fields that some origins take for others',
    {
      'forwarding/original-url': 'pass',
      'forwarding/rewrite-url': 'pass',
      'forwarding/alias-for': 'pass',
      'forwarding/alias-length': 'pass',
    },
    (name) => !ALIASES.has(name),
  ),
  wrong('trusts Client-Cert', differs('forwarding/spoofed-certificate'), trusting('Client-Cert')),
  keepsFields(
    'hides the client',
    differs('forwarding/client-address'),
    (name) => name !== 'x-forwarded-for',
  ),
  changesRequest(
    'appends an address after that of the client',
    differs('forwarding/client-address', 'forwarding/spoofed-for'),
    (request) => request.fields.push(['X-Forwarded-For', '10.9.9.9']),
  ),
];
