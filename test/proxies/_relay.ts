import type { Socket } from 'node:net';
import { startForwarder, type Forwarder } from '../_forwarder.ts';

/** A connection of a proxy to wirebin, as a witness between the two saw it. */
export interface Witnessed {
  /** What the proxy has sent so far. */
  readonly sent: () => Buffer;
  /** What wirebin has answered so far. */
  readonly answered: () => Buffer;
  /** How wirebin has ended it; undefined if it has not. */
  readonly ended: () => 'fin' | 'rst' | undefined;
  /** Whether the proxy had sent FIN, or had gone, when wirebin last answered. */
  readonly hadLeft: () => boolean;
  /** The address that wirebin sees. */
  readonly peer: () => string;
}

export interface Relay extends Forwarder {
  /** In the order in which they were opened. */
  readonly witnessed: readonly Witnessed[];
  /** One of them. @throws where there are not so many */
  witness(at: number): Witnessed;
}

/** Passes every byte on as it is, and keeps it. */
export async function startRelay(to: number): Promise<Relay> {
  const witnessed: Witnessed[] = [];
  const forwarder = await startForwarder(to, (proxy, wirebin) => {
    let peer = '';
    let ended: 'fin' | 'rst' | undefined;
    let isGone = false;
    let hadLeft = false;
    for (const event of ['end', 'close']) {
      proxy.once(event, () => {
        isGone = true;
      });
    }
    wirebin.on('data', () => {
      hadLeft = isGone;
    });
    wirebin.once('end', () => (ended ??= 'fin')).once('error', () => (ended ??= 'rst'));
    wirebin.once('connect', () => {
      peer = `${wirebin.localAddress}:${wirebin.localPort}`;
    });
    witnessed.push({
      sent: kept(proxy),
      answered: kept(wirebin),
      ended: () => ended,
      hadLeft: () => hadLeft,
      peer: () => peer,
    });
  });
  const witness = (at: number): Witnessed => {
    const found = witnessed[at];
    if (!found) throw new Error(`there were ${witnessed.length} connections`);
    return found;
  };
  return { ...forwarder, witnessed, witness };
}

function kept(socket: Socket): () => Buffer {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}
