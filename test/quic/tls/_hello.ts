import { startKeyExchange, Group } from '../../../src/quic/tls/key-exchange.ts';
import { handshakeMessage } from '../../../src/quic/tls/messages.ts';
import { uint16s, vector } from '../../../src/wire/byte-writer.ts';
import {
  alpnExtension,
  extension,
  serverNameExtension,
} from '../../../src/wire/tls/extension-writer.ts';

/** Extensions of a ClientHello that a server accepts, by type. */
export const EXTENSIONS: ReadonlyMap<number, Buffer> = new Map([
  [0, serverNameExtension('p256.example')],
  [43, extension(43, vector(1, uint16s([0x0304])))],
  [10, extension(10, vector(2, uint16s([Group.x25519, Group.secp256r1])))],
  [13, extension(13, vector(2, uint16s([0x0403])))],
  [51, keyShareOf([Group.x25519, startKeyExchange(Group.x25519).share])],
  [16, alpnExtension(['h3'])],
  [57, extension(57, Buffer.from('parameters'))],
  [45, extension(45, Buffer.of(1, 1))],
]);

export interface HelloChanges {
  readonly version?: number;
  readonly sessionId?: Buffer;
  readonly suites?: readonly number[];
  readonly compression?: readonly number[];
  /** Extensions in place of those of their types; undefined leaves one out. */
  readonly extensions?: Readonly<Record<number, Buffer | undefined>>;
  /** After all others. */
  readonly last?: Buffer;
}

/** A ClientHello with what is wrong with it. */
export function helloOf(changes: HelloChanges = {}): Buffer {
  const { version = 0x0303, sessionId = Buffer.alloc(0), suites = [0x1301] } = changes;
  const all = new Map<number, Buffer | undefined>(EXTENSIONS);
  for (const [type, content] of Object.entries(changes.extensions ?? {}))
    all.set(Number(type), content);
  const list = [...all.values()].filter((each) => each !== undefined);
  if (changes.last) list.push(changes.last);
  return handshakeMessage(
    1,
    uint16s([version]),
    Buffer.alloc(32, 1),
    vector(1, sessionId),
    vector(2, uint16s(suites)),
    vector(1, changes.compression ?? [0]),
    vector(2, Buffer.concat(list)),
  );
}

/** key_share of a client. */
export function keyShareOf(...shares: readonly (readonly [number, Uint8Array])[]): Buffer {
  const entries = shares.flatMap(([group, share]) => [uint16s([group]), vector(2, share)]);
  return extension(51, vector(2, Buffer.concat(entries)));
}

/** pre_shared_key of a client. */
export function pskOf(identities: readonly Buffer[], binders: readonly Buffer[]): Buffer {
  const first = identities.map((each) => Buffer.concat([vector(2, each), Buffer.alloc(4)]));
  const second = binders.map((each) => vector(1, each));
  return extension(
    41,
    Buffer.concat([vector(2, Buffer.concat(first)), vector(2, Buffer.concat(second))]),
  );
}
