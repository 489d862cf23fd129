import { ByteReader } from '../wire/byte-reader.ts';
import type { Extension } from '../wire/tls/extensions.ts';
import {
  certificateCompressionName,
  certificateStatusTypeName,
  certificateTypeName,
  extensionName,
  groupName,
  heartbeatModeName,
  hex,
  hpkeAeadName,
  hpkeKdfName,
  pointFormatName,
  pskModeName,
  serverNameTypeName,
  signatureSchemeName,
  tokenBindingKeyName,
  versionName,
} from '../wire/tls/names.ts';
import type { ExtensionView } from './tls-schema.ts';

/** Maximum bytes of a content that are shown in hexadecimal. */
const MAX_DATA = 256;

/** Members for the content of an extension; undefined if a value in it is invalid. */
type ContentReader = (reader: ByteReader) => Readonly<Record<string, unknown>> | undefined;

/** The content of an extension whose presence is all it says. */
const NOTHING = {};
const nothing: ContentReader = () => NOTHING;

/** ALPN and ALPS (draft-vvv-tls-alps). Names have one character for each byte. */
const protocols: ContentReader = (reader) => ({
  protocols: reader.list(2, (each) => Buffer.from(each.vector(1)).toString('latin1')),
});

const certificateTypes: ContentReader = (reader) => ({
  types: reader.list(1, name(certificateTypeName, 1)),
});

const schemes: ContentReader = (reader) => ({
  schemes: reader.list(2, name(signatureSchemeName)),
});

/** What the contents in a ClientHello are, by the name of their extension. Those of others are shown as bytes. */
const CONTENTS = new Map<string, ContentReader>([
  // RFC 6066.
  ['server_name', (reader) => ({ names: reader.list(2, serverName) })],
  ['max_fragment_length', maxFragmentLength],
  ['client_certificate_url', nothing],
  ['truncated_hmac', nothing],
  ['status_request', statusRequest],
  ['status_request_v2', (reader) => ({ requests: reader.list(2, statusRequestItem) })],
  // RFC 8422 and 7919.
  ['supported_groups', (reader) => ({ groups: reader.list(2, name(groupName)) })],
  ['ec_point_formats', (reader) => ({ formats: reader.list(1, name(pointFormatName, 1)) })],
  // RFC 6091 and 7250.
  ['cert_type', certificateTypes],
  ['client_certificate_type', certificateTypes],
  ['server_certificate_type', certificateTypes],
  // RFC 5764.
  ['use_srtp', useSrtp],
  // RFC 6520.
  ['heartbeat', (reader) => ({ mode: heartbeatModeName(reader.uint(1)) })],
  // RFC 7301.
  ['application_layer_protocol_negotiation', protocols],
  ['application_settings', protocols],
  ['application_settings_old', protocols],
  ['next_protocol_negotiation', nothing],
  // RFC 6962, 9162.
  ['signed_certificate_timestamp', nothing],
  ['transparency_info', nothing],
  // RFC 7685.
  ['padding', padding],
  // RFC 7366, 7627.
  ['encrypt_then_mac', nothing],
  ['extended_main_secret', nothing],
  // RFC 8472.
  ['token_binding', tokenBinding],
  ['channel_id', nothing],
  // RFC 8879.
  [
    'compress_certificate',
    (reader) => ({ algorithms: reader.list(1, name(certificateCompressionName)) }),
  ],
  // RFC 8449.
  ['record_size_limit', (reader) => ({ limit: reader.uint(2) })],
  // RFC 8773, 9345.
  ['tls_cert_with_extern_psk', nothing],
  ['delegated_credential', schemes],
  // RFC 5077.
  ['session_ticket', (reader) => ({ ticket_length: reader.rest().length })],
  // RFC 9846 4.3.
  ['signature_algorithms', schemes],
  ['signature_algorithms_cert', schemes],
  ['supported_versions', (reader) => ({ versions: reader.list(1, name(versionName)) })],
  ['cookie', (reader) => ({ cookie_length: reader.vector(2).length })],
  ['pre_shared_key', preSharedKey],
  ['psk_key_exchange_modes', (reader) => ({ modes: reader.list(1, name(pskModeName, 1)) })],
  ['key_share', (reader) => ({ shares: reader.list(2, keyShare) })],
  ['early_data', nothing],
  ['certificate_authorities', (reader) => ({ name_lengths: reader.list(2, vectorLength) })],
  ['post_handshake_auth', nothing],
  // RFC 9149, 9102.
  ['ticket_request', ticketRequest],
  ['dnssec_chain', (reader) => ({ port: reader.uint(2) })],
  // RFC 9853.
  ['rrc', nothing],
  // draft-ietf-tls-trust-anchor-ids.
  ['trust_anchors', trustAnchors],
  // RFC 9849.
  ['encrypted_client_hello', encryptedClientHello],
  ['ech_outer_extensions', (reader) => ({ extensions: reader.list(1, name(extensionName)) })],
  // RFC 5746.
  ['renegotiation_info', (reader) => ({ verify_data_length: reader.vector(1).length })],
]);

/** An extension of a ClientHello with its decoded content, or its bytes. */
export function extensionView({ id, data }: Extension): ExtensionView {
  const view = { name: extensionName(id), id: hex(id), length: data.length };
  const read = CONTENTS.get(view.name);
  if (!read) return { ...view, ...dataView(data) };
  const reader = new ByteReader(data);
  const content = read(reader);
  if (!content || !reader.complete) return { ...view, ...dataView(data), malformed: true };
  return content === NOTHING ? view : { ...view, content };
}

/** Bytes in hexadecimal, as far as they are shown. */
function dataView(data: Uint8Array): Pick<ExtensionView, 'data' | 'data_left_out'> {
  if (data.length === 0) return {};
  const shown = data.subarray(0, MAX_DATA);
  return {
    data: Buffer.from(shown).toString('hex'),
    ...(data.length > MAX_DATA && { data_left_out: data.length - MAX_DATA }),
  };
}

/** Makes a reader of a code point's name. @param size bytes of the code point */
function name(nameOf: (id: number) => string, size: 1 | 2 = 2) {
  return (reader: ByteReader): string => nameOf(reader.uint(size));
}

function vectorLength(reader: ByteReader): number {
  return reader.vector(2).length;
}

function serverName(reader: ByteReader) {
  const type = serverNameTypeName(reader.uint(1));
  return { type, name: Buffer.from(reader.vector(2)).toString('latin1') };
}

/** RFC 6066 4: 2^9 to 2^12 bytes. */
function maxFragmentLength(reader: ByteReader) {
  const code = reader.uint(1);
  return code >= 1 && code <= 4 ? { max_fragment_length: 2 ** (8 + code) } : undefined;
}

const OCSP = 1;

function statusRequest(reader: ByteReader) {
  const code = reader.uint(1);
  const type = certificateStatusTypeName(code);
  if (code !== OCSP) return { type, request_length: reader.rest().length };
  return {
    type,
    responder_id_lengths: reader.list(2, vectorLength),
    request_extensions_length: vectorLength(reader),
  };
}

/** An item of RFC 6961 2.2. */
function statusRequestItem(reader: ByteReader) {
  const type = certificateStatusTypeName(reader.uint(1));
  return { type, request_length: vectorLength(reader) };
}

/** RFC 5764 4.1.1. */
function useSrtp(reader: ByteReader) {
  const profiles = reader.list(2, (each) => hex(each.uint(2)));
  return { profiles, mki_length: reader.vector(1).length };
}

/** RFC 7685 3: any number of zeros. */
function padding(reader: ByteReader) {
  const bytes = reader.rest();
  return bytes.every((byte) => byte === 0) ? { padding_length: bytes.length } : undefined;
}

/** RFC 8472 2. */
function tokenBinding(reader: ByteReader) {
  const version = `${reader.uint(1)}.${reader.uint(1)}`;
  return { version, key_parameters: reader.list(1, name(tokenBindingKeyName, 1)) };
}

/** RFC 9846 4.3.11. To an age, in milliseconds, the client has added the number that came with the ticket. */
function preSharedKey(reader: ByteReader) {
  const identities = reader.list(2, (each) => ({
    length: vectorLength(each),
    obfuscated_ticket_age: each.uint(4),
  }));
  return { identities, binder_lengths: reader.list(2, (each) => each.vector(1).length) };
}

/** RFC 9846 4.3.8. */
function keyShare(reader: ByteReader) {
  return { group: groupName(reader.uint(2)), length: vectorLength(reader) };
}

/** RFC 9149 3. */
function ticketRequest(reader: ByteReader) {
  return { new_session_count: reader.uint(1), resumption_count: reader.uint(1) };
}

const OUTER = 0;
const INNER = 1;

/** RFC 9849 5. */
function encryptedClientHello(reader: ByteReader) {
  const type = reader.uint(1);
  if (type === INNER) return { type: 'inner' };
  if (type !== OUTER) return undefined;
  return {
    type: 'outer',
    kdf: hpkeKdfName(reader.uint(2)),
    aead: hpkeAeadName(reader.uint(2)),
    config_id: reader.uint(1),
    enc_length: vectorLength(reader),
    payload_length: vectorLength(reader),
  };
}

/** Identifiers in dotted decimal notation, below 1.3.6.1.4.1. */
function trustAnchors(reader: ByteReader) {
  const ids = reader.list(2, (each) => relativeOid(each.vector(1)));
  return ids.includes(undefined) ? undefined : { ids };
}

/** A relative object identifier (X.690 8.20), such as `32473.1`; undefined if it is invalid. */
function relativeOid(bytes: Uint8Array): string | undefined {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of bytes) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const isWhole = ((bytes.at(-1) ?? 0x80) & 0x80) === 0;
  return isWhole ? arcs.join('.') : undefined;
}
