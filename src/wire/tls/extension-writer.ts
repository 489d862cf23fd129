import { uint16s, vector } from '../byte-writer.ts';
import { ExtensionType } from './extensions.ts';

/** NameType host_name (RFC 6066 3). */
const HOST_NAME = 0;

/** An extension (RFC 9846 4.3). */
export function extension(type: number, content: Uint8Array): Buffer {
  return Buffer.concat([uint16s([type]), vector(2, content)]);
}

/** server_name with one host name (RFC 6066 3). */
export function serverNameExtension(name: string): Buffer {
  const entry = Buffer.concat([Buffer.of(HOST_NAME), vector(2, Buffer.from(name))]);
  return extension(ExtensionType.serverName, vector(2, entry));
}

/** ALPN (RFC 7301 3.1) with the names of a client, or the one that a server has selected. */
export function alpnExtension(names: readonly string[]): Buffer {
  const list = Buffer.concat(names.map((name) => vector(1, Buffer.from(name))));
  return extension(ExtensionType.alpn, vector(2, list));
}
