import { readdirSync, readFileSync } from 'node:fs';
import { uint16s, vector } from '../../../src/wire/byte-writer.ts';
import { handshakeRecords } from '../../../src/wire/tls/record.ts';

const directory = new URL('hellos/', import.meta.url);

/** ClientHellos captured from clients of late 2026 and earlier. */
export const captures = readdirSync(directory)
  .filter((file) => file.endsWith('.bin'))
  .map((file) => file.slice(0, -'.bin'.length));

/** A captured ClientHello: one record with its header. */
export function captured(name: string): Buffer {
  return readFileSync(new URL(`${name}.bin`, directory));
}

/** The handshake message of a captured ClientHello. */
export function messageOf(name: string): Buffer {
  return captured(name).subarray(5);
}

export interface Offer {
  readonly legacyVersion?: number;
  readonly cipherSuites?: readonly number[];
  /** Type and content; undefined omits the list. */
  readonly extensions?: readonly (readonly [number, Iterable<number>])[] | undefined;
}

/** A ClientHello with exactly this content, in one record. */
export function helloOf({
  legacyVersion = 0x0303,
  cipherSuites = [0x1301],
  extensions,
}: Offer): Buffer {
  const body = [
    ...uint16s([legacyVersion]),
    ...Array.from({ length: 32 }, (_, index) => index),
    ...vector(1, []),
    ...vector(2, uint16s(cipherSuites)),
    ...vector(1, [0]),
    ...(extensions
      ? vector(
          2,
          extensions.flatMap(([type, content]) => [
            ...uint16s([type]),
            ...vector(2, Uint8Array.from(content)),
          ]),
        )
      : []),
  ];
  return handshakeRecords(Uint8Array.from([1, ...vector(3, body)]), 0x4000);
}
