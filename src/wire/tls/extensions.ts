import { ByteReader } from '../byte-reader.ts';

/** One extension as sent. */
export interface Extension {
  readonly id: number;
  readonly data: Uint8Array;
}

/** ExtensionTypes (IANA) that are parsed, or answered. */
export const ExtensionType = {
  serverName: 0,
  maxFragmentLength: 1,
  supportedGroups: 10,
  ecPointFormats: 11,
  signatureAlgorithms: 13,
  alpn: 16,
  padding: 21,
  encryptThenMac: 22,
  extendedMainSecret: 23,
  sessionTicket: 35,
  preSharedKey: 41,
  earlyData: 42,
  supportedVersions: 43,
  cookie: 44,
  pskKeyExchangeModes: 45,
  signatureAlgorithmsCert: 50,
  keyShare: 51,
  quicTransportParameters: 57,
  encryptedClientHello: 0xfe0d,
  renegotiationInfo: 0xff01,
} as const;

export interface KeyShare {
  readonly group: number;
  /** Bytes of the key exchange value. */
  readonly length: number;
}

/** Parsed extensions; undefined if missing or malformed. */
export interface ExtensionContents {
  /** The first host_name (RFC 6066 3). */
  readonly serverName: string | undefined;
  /** Protocol names (RFC 7301), one character per byte. */
  readonly alpn: readonly string[] | undefined;
  readonly supportedVersions: readonly number[] | undefined;
  readonly supportedGroups: readonly number[] | undefined;
  readonly pointFormats: readonly number[] | undefined;
  readonly keyShares: readonly KeyShare[] | undefined;
  readonly signatureAlgorithms: readonly number[] | undefined;
  readonly signatureAlgorithmsCert: readonly number[] | undefined;
  readonly pskModes: readonly number[] | undefined;
  /** PSK identities. In TLS 1.3, they are tickets (RFC 9846 4.3.11). */
  readonly pskIdentities: readonly Uint8Array[] | undefined;
  /** Session ticket; empty to ask for one (RFC 5077 3.2). */
  readonly sessionTicket: Uint8Array | undefined;
  readonly earlyData: boolean;
  /** ECHClientHelloType (RFC 9849 5). GREASE ECH cannot be told from `outer`. */
  readonly ech: 'outer' | 'inner' | undefined;
  /** Bytes of padding (RFC 7685). */
  readonly paddingLength: number | undefined;
}

export function readExtension(reader: ByteReader): Extension {
  return { id: reader.uint(2), data: reader.vector(2) };
}

/** Parses extensions. Of a repeated one, the first is used. */
export function parseExtensions(extensions: readonly Extension[]): ExtensionContents {
  const read = <T>(type: number, decode: (data: Uint8Array) => T): T | undefined => {
    const extension = extensions.find(({ id }) => id === type);
    return extension && decode(extension.data);
  };
  return {
    serverName: read(ExtensionType.serverName, hostName),
    alpn: read(ExtensionType.alpn, (data) => readVector(data, 2, protocolName)),
    supportedVersions: read(ExtensionType.supportedVersions, (data) => readVector(data, 1, uint16)),
    supportedGroups: read(ExtensionType.supportedGroups, (data) => readVector(data, 2, uint16)),
    pointFormats: read(ExtensionType.ecPointFormats, (data) => readVector(data, 1, uint8)),
    keyShares: read(ExtensionType.keyShare, (data) => readVector(data, 2, keyShare)),
    signatureAlgorithms: read(ExtensionType.signatureAlgorithms, (data) =>
      readVector(data, 2, uint16),
    ),
    signatureAlgorithmsCert: read(ExtensionType.signatureAlgorithmsCert, (data) =>
      readVector(data, 2, uint16),
    ),
    pskModes: read(ExtensionType.pskKeyExchangeModes, (data) => readVector(data, 1, uint8)),
    pskIdentities: read(ExtensionType.preSharedKey, identities),
    sessionTicket: read(ExtensionType.sessionTicket, (data) => data),
    earlyData: extensions.some(({ id }) => id === ExtensionType.earlyData),
    ech: read(ExtensionType.encryptedClientHello, echType),
    paddingLength: read(ExtensionType.padding, (data) => data.length),
  };
}

/** Reads an extension that is a single vector of elements. */
function readVector<T>(
  data: Uint8Array,
  lengthSize: 1 | 2,
  read: (reader: ByteReader) => T,
): readonly T[] | undefined {
  const reader = new ByteReader(data);
  const elements = reader.list(lengthSize, read);
  return reader.complete ? elements : undefined;
}

const uint8 = (reader: ByteReader): number => reader.uint(1);
const uint16 = (reader: ByteReader): number => reader.uint(2);
const protocolName = (reader: ByteReader): string => latin1(reader.vector(1));
const keyShare = (reader: ByteReader): KeyShare => ({
  group: reader.uint(2),
  length: reader.vector(2).length,
});

const HOST_NAME = 0;

function hostName(data: Uint8Array): string | undefined {
  const names = readVector(data, 2, (reader) => ({ type: reader.uint(1), name: reader.vector(2) }));
  const first = names?.find(({ type }) => type === HOST_NAME);
  return first && latin1(first.name);
}

/** Reads the PSK identities, which precede the binders. */
function identities(data: Uint8Array): readonly Uint8Array[] | undefined {
  const reader = new ByteReader(data);
  const found = reader.list(2, (each) => {
    const identity = each.vector(2);
    each.bytes(4);
    return identity;
  });
  return reader.failed ? undefined : found;
}

function echType([type]: Uint8Array): 'outer' | 'inner' | undefined {
  if (type === 0) return 'outer';
  return type === 1 ? 'inner' : undefined;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
