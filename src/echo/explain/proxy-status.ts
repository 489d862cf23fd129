import type { BareItem } from '../../http/structured-fields.ts';
import { nameOf } from './caching.ts';
import { listField, type FieldDeclaration } from './declaration.ts';
import { integer, readParameters, text, tokenOf, type Expected, type Known } from './expected.ts';
import { countText, quoted } from './notes.ts';

/** Proxy error types (RFC 9209 2.3, RFC 10036 5). */
const ERRORS = tokenOf({
  dns_timeout: 'a DNS timeout',
  dns_error: 'a DNS error',
  destination_not_found: 'no next hop is known for this request',
  destination_unavailable: 'the next hop is considered unavailable',
  destination_ip_prohibited: 'connections to the address of the next hop are prohibited',
  destination_ip_unroutable: 'there is no route to the next hop',
  connection_refused: 'the next hop refused the connection',
  connection_terminated: 'the connection was closed before the response was complete',
  connection_timeout: 'the connection to the next hop was not established in time',
  connection_read_timeout: 'nothing was received in time',
  connection_write_timeout: 'nothing could be sent in time',
  connection_limit_reached: 'too many connections to the next hop',
  tls_protocol_error: 'a TLS error',
  tls_certificate_error: 'the certificate of the next hop could not be verified',
  tls_alert_received: 'the next hop sent a TLS alert',
  http_request_error: 'a client error',
  http_request_denied: 'the request was denied',
  http_response_incomplete: 'the response was not complete',
  http_response_header_section_size: 'the header section of the response was too large',
  http_response_header_size: 'a field of the response was too large',
  http_response_body_size: 'the content of the response was too large',
  http_response_trailer_section_size: 'the trailer section of the response was too large',
  http_response_trailer_size: 'a trailer field of the response was too large',
  http_response_transfer_coding: 'the transfer coding could not be decoded',
  http_response_content_coding: 'the content coding could not be decoded',
  http_response_timeout: 'the response was not complete in time',
  http_upgrade_failed: 'the protocol upgrade failed',
  http_protocol_error: 'the next hop violated HTTP',
  proxy_internal_response: 'the proxy made the response itself',
  proxy_internal_error: 'an internal proxy error',
  proxy_configuration_error: 'an error in the configuration of the proxy',
  proxy_loop_detected: 'the request came back to the proxy',
  incremental_refused: 'the proxy does not forward this message incrementally',
});

const MAX = 999_999_999_999_999;
const bytes = (name: string): Expected =>
  integer(0, MAX, (size) => `${name}: ${countText(size, 'byte')}`);
const textOf = (name: string): Expected => text(['string'], (value) => `${name}: ${value}`);

/** An ALPN protocol (RFC 9209 2.1.3). */
function protocol(item: BareItem): ReturnType<Expected> {
  if (item.type === 'token') return { says: `next hop over ${quoted(item.value)}` };
  if (item.type === 'bytes')
    return { says: `next hop over ${quoted(Buffer.from(item.value).toString('latin1'))}` };
  return { problem: `is of type ${item.type}, but has to be a token or bytes` };
}

const PARAMETERS: Known = {
  error: ERRORS,
  'next-hop': text(['string', 'token'], (hop) => `next hop: ${hop}`),
  'next-protocol': protocol,
  'received-status': integer(100, 599, (status) => `the next hop answered ${status}`),
  details: textOf('details'),
  rcode: textOf('DNS response code'),
  'info-code': integer(0, 65_535, (code) => `extended DNS error ${code}`),
  'alert-id': integer(0, 255, (id) => `TLS alert ${id}`),
  'alert-message': text(['string', 'token'], (message) => `TLS alert ${message}`),
  'status-code': integer(100, 599, (status) => `status ${status}`),
  'status-phrase': textOf('reason phrase'),
  'header-section-size': bytes('header section'),
  'header-name': textOf('field'),
  'header-size': bytes('field'),
  'body-size': bytes('content'),
  'trailer-section-size': bytes('trailer section'),
  'trailer-name': textOf('trailer field'),
  'trailer-size': bytes('trailer field'),
  coding: text(['token'], (coding) => `coding: ${coding}`),
};

export const proxyStatus: FieldDeclaration = listField({
  name: 'Proxy-Status',
  reference: 'RFC 9209 2',
  isOfResponses: true,
  describe(list, notes) {
    for (const member of list) {
      const name = nameOf(member, notes);
      if (name === undefined) continue;
      const said = readParameters(notes, name, member.parameters, PARAMETERS);
      notes.means(`The intermediary ${name}: ${said.join('; ') || 'it handled the response'}.`);
    }
  },
});
