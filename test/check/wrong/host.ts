import { valuesOf } from '../../../src/check/message.ts';
import {
  breaking,
  changesRequest,
  keepingFields,
  onRequest,
  readingHeads,
  wrong,
  type WrongProxy,
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
  wrong(
    'replaces Host',
    onRequest((request) => {
      request.host = 'origin.internal';
    }),
    { 'host/preserved': 'differs' },
  ),
  wrong(
    'normalizes hosts',
    onRequest((request) => {
      request.host = request.host
        .toLowerCase()
        .replace(/\.(?=:|$)/, '')
        .replace(/:80$/, '');
    }),
    { 'host/trailing-dot': 'differs', 'host/case': 'differs', 'host/default-port': 'differs' },
  ),
  breaking(
    'adds another Host',
    onRequest((request) => request.fields.push(['Host', 'other.example'])),
    { 'host/one': 'fail' },
  ),
  wrong(
    'accepts requests without Host',
    readingHeads(/^(GET .*\r\n)(?![^]*^host:)/im, '$1Host: a\r\n'),
    { 'host/missing': 'fail' },
  ),
  wrong(
    'takes the first of two hosts',
    readingHeads(/^(host:.*\r\n)([^]*\r\n)?host:.*\r\n/im, '$1$2'),
    { 'host/repeated': 'fail' },
  ),
  wrong('mends a malformed Host', readingHeads(/^Host: a b@c\/d/m, 'Host: a'), {
    'host/malformed': 'fail',
  }),
  wrong('prefers Host to an absolute target', readingHeads(/^(\S+) http:\/\/[^/]*/, '$1 '), {
    'host/absolute-form': 'fail',
  }),
  changesRequest('prefers Host to :authority', 'host/differs-from-authority', (request, client) => {
    if (client.version === '2.0') request.host = valuesOf(client.fields, 'host')[0] ?? request.host;
  }),
  wrong('trusts X-Forwarded-For', trusting('X-Forwarded-For'), {
    'forwarding/spoofed-for': 'fail',
  }),
  wrong('trusts Forwarded', trusting('Forwarded'), { 'forwarding/spoofed-forwarded': 'fail' }),
  wrong('trusts X-Forwarded-Proto', trusting('X-Forwarded-Proto'), {
    'forwarding/spoofed-proto': 'fail',
  }),
  wrong('trusts X-Forwarded-Host', trusting('X-Forwarded-Host'), {
    'forwarding/spoofed-host': 'differs',
  }),
  wrong('trusts X-Real-IP', trusting('X-Real-IP'), { 'forwarding/spoofed-real-ip': 'differs' }),
  wrong(
    'removes fields that some origins take for others',
    keepingFields((name) => !ALIASES.has(name)),
    {
      'forwarding/original-url': 'pass',
      'forwarding/rewrite-url': 'pass',
      'forwarding/alias-for': 'pass',
      'forwarding/alias-length': 'pass',
    },
  ),
  wrong('trusts Client-Cert', trusting('Client-Cert'), {
    'forwarding/spoofed-certificate': 'differs',
  }),
  wrong(
    'hides the client',
    keepingFields((name) => name !== 'x-forwarded-for'),
    { 'forwarding/client-address': 'differs' },
  ),
];
