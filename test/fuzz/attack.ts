import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { PATIENCE } from '../_adapters.ts';
import { transports, type Transport } from '../_client.ts';
import { ask } from '../_walk.ts';
import type { Approach, Input } from './wire-inputs.ts';

/**
 * Milliseconds that an HTTP/2 connection gets. On Node 20 an error can end a session without an
 * event; that its socket goes in the end is looked at when all is over.
 */
const HTTP2_TIME = 300;

/** What a defect of the service looks like in an answer. */
const DEFECT = '"type": "/problems/internal-error"';

/** Sends an input on a connection of its own. @returns what was wrong with what came of it */
export async function attack(
  port: number,
  { alpn, below = false }: Approach,
  { pieces, ends }: Input,
): Promise<string | undefined> {
  const clear = connect({ port, host: '127.0.0.1', noDelay: true });
  clear.on('error', () => undefined);
  const secure = alpn && (await handshake(clear, alpn));
  const socket = below ? clear : (secure ?? clear);
  const http2 = alpn?.includes('h2') || Buffer.concat(pieces).includes('PRI * HTTP/2.0');
  const closed = new Promise<void>((resolve) => {
    clear.once('close', () => resolve());
  });
  let received = '';
  (secure ?? clear).on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  for (const piece of pieces) {
    socket.write(piece);
    await pause(1);
  }
  if (ends) socket.end();
  await Promise.race([closed, pause(http2 ? HTTP2_TIME : PATIENCE)]);
  const hangs = !clear.destroyed && !http2;
  secure?.destroy();
  clear.destroy();
  if (received.includes(DEFECT)) return 'a defect was answered';
  return hangs ? 'the connection was not closed' : undefined;
}

async function handshake(socket: Socket, alpn: readonly string[]): Promise<Socket> {
  const secure = tls.connect({ socket, rejectUnauthorized: false, ALPNProtocols: [...alpn] });
  secure.on('error', () => undefined);
  await Promise.race([once(secure, 'secureConnect'), pause(PATIENCE)]);
  return secure;
}

/** A client on each transport that must always get its response. */
export async function honest(port: number): Promise<void> {
  await Promise.all(transports.map((transport) => expectResponse(transport, port, ATTEMPTS)));
}

/** Attempts of a client whose request may itself be later than the service's header timeout, on a busy machine. */
const ATTEMPTS = 3;
/** Milliseconds, as the service is started with. */
export const HEADER_TIMEOUT = 1000;

async function expectResponse(transport: Transport, port: number, attempts: number): Promise<void> {
  const start = performance.now();
  const failure = await Promise.race([
    ask(transport, port, '/anything?n=1').then(
      ({ status }) => (status === 200 ? undefined : `status ${status}`),
      String,
    ),
    pause(PATIENCE, 'no response', { ref: false }),
  ]);
  if (failure === undefined) return;
  const time = Math.round(performance.now() - start);
  if (attempts > 1 && time >= HEADER_TIMEOUT && time < PATIENCE) {
    await expectResponse(transport, port, attempts - 1);
    return;
  }
  throw new Error(`an honest client of ${transport}, after ${time} ms: ${failure}`);
}
