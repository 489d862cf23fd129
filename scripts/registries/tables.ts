import { fieldNames } from '../../src/http/field-names.ts';
import { registeredMethods } from '../../src/http/methods.ts';
import { reasonPhrases } from '../../src/http/status.ts';
import { errorCodes, frameTypes, settings } from '../../src/wire/http2/names.ts';
import { cipherSuites } from '../../src/wire/tls/cipher-suites.ts';
import * as http3 from '../../src/wire/http3/names.ts';
import * as quic from '../../src/wire/quic/registries.ts';
import * as tls from '../../src/wire/tls/registries.ts';
import { isCloseCode } from '../../src/wire/websocket/frame.ts';
import { ANY_NAME, type NameTable } from './comparison.ts';

/** Codes that are registered one by one; those from 3000 to 4999 may all be sent (RFC 6455 7.4.2). */
const closeCodes = Array.from({ length: 2000 }, (_, at) => 1000 + at).filter(isCloseCode);

/** What no varint can encode, since it needs more than 62 bits, is in no table of QUIC. */
const isNoVarint = (code: string): boolean => Number(code) >= 2 ** 62;

/** The tables of names by the CSV file of IANA's registry that they are from. */
export const tables: Readonly<Record<string, NameTable>> = {
  'tls-extensiontype-values-1.csv': { names: tls.extensions },
  'tls-parameters-4.csv': { names: cipherSuites },
  'tls-parameters-5.csv': { names: tls.contentTypes },
  'tls-parameters-6.csv': { names: tls.alerts },
  'tls-parameters-7.csv': { names: tls.handshakeTypes },
  'tls-parameters-8.csv': { names: tls.groups },
  'tls-parameters-9.csv': { names: tls.pointFormats },
  'tls-extensiontype-values-3.csv': { names: tls.certificateTypes },
  'certificate-status.csv': { names: tls.certificateStatusTypes },
  'tls-certificate-compression-algorithm-ids.csv': { names: tls.certificateCompressions },
  'heartbeat-modes.csv': { names: tls.heartbeatModes },
  'token-binding-key-parameters.csv': { names: tls.tokenBindingKeys },
  'tls-pskkeyexchangemode.csv': { names: tls.pskModes },
  'tls-signaturescheme.csv': { names: tls.signatureSchemes },
  'hpke-kdf-ids.csv': { names: tls.hpkeKdfs },
  'hpke-aead-ids.csv': { names: tls.hpkeAeads },
  'quic-transport.csv': { names: quic.transportParameters, leavesOut: isNoVarint },
  'quic-frame-types.csv': { names: quic.frameTypes },
  'quic-transport-error-codes.csv': { names: quic.transportErrorCodes, leavesOut: isNoVarint },
  'frame-type.csv': { names: frameTypes },
  'settings.csv': { names: settings, prefix: 'SETTINGS_' },
  'error-code.csv': { names: Object.fromEntries(errorCodes.entries()) },
  'http3-parameters-frame-types.csv': { names: http3.frameTypes },
  'http3-parameters-settings.csv': { names: http3.settings, prefix: 'SETTINGS_' },
  'http3-parameters-error-codes.csv': { names: http3.errorCodes },
  'http3-parameters-stream-types.csv': { names: http3.streamTypes },
  'http-status-codes-1.csv': { names: reasonPhrases },
  'field-names.csv': { names: fieldNames },
  'methods.csv': {
    names: Object.fromEntries(registeredMethods.map((method) => [method, ANY_NAME])),
  },
  'close-code-number.csv': {
    names: Object.fromEntries(closeCodes.map((code) => [code, ANY_NAME])),
    // They only say how a connection has ended (RFC 6455 7.4.1).
    leavesOut: (code) => ['1005', '1006', '1015'].includes(code) || Number(code) >= 3000,
  },
};
