import { readdirSync, readFileSync } from 'node:fs';
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

export function uint(value: number, size: number): number[] {
  return Array.from(
    { length: size },
    (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256,
  );
}

/** A vector: the length followed by the content. */
export function vector(lengthSize: number, content: Iterable<number>): number[] {
  const bytes = [...content];
  return [...uint(bytes.length, lengthSize), ...bytes];
}

export function uint16s(values: readonly number[]): number[] {
  return values.flatMap((value) => uint(value, 2));
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
    ...uint(legacyVersion, 2),
    ...Array.from({ length: 32 }, (_, index) => index),
    ...vector(1, []),
    ...vector(2, uint16s(cipherSuites)),
    ...vector(1, [0]),
    ...(extensions
      ? vector(
          2,
          extensions.flatMap(([type, content]) => [...uint(type, 2), ...vector(2, content)]),
        )
      : []),
  ];
  return handshakeRecords(Uint8Array.from([1, ...vector(3, body)]), 0x4000);
}
