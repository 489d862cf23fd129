import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type ConnectionOptions,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { alertName } from '../../wire/tls/names.ts';
import { JavaScriptSocket } from '../../net/javascript-socket.ts';
import { emitConnect } from '../../net/node-internals.ts';
import { Unjudged } from '../unjudged.ts';

/** Where the target is, and how its certificate is verified. */
export interface Endpoint {
  /** Host or address to connect to. */
  readonly host: string;
  readonly port: number;
  /** Sent before all else, such as a PROXY header. */
  readonly preamble?: Buffer | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Reads into a buffer that is used again, and emits no `data`. Not together with `preamble` and `onReceived`. */
  readonly onread?: OnReadOpts | undefined;
  /** Destroys the socket when it aborts, in whatever state the connection is. */
  readonly signal?: AbortSignal | undefined;
}

export interface TlsOptions {
  /** The name or address that the certificate must be valid for. */
  readonly host: string;
  /** Server Name Indication; undefined sends none. */
  readonly servername: string | undefined;
  readonly alpn: readonly string[];
  /** Whether any certificate is accepted. */
  readonly insecure: boolean;
  readonly ca?: string | Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** The secure context made of `ca`, `cert` and `key`, shared by many connections. */
  readonly context?: SecureContext | undefined;
  /** A session to resume. */
  readonly session?: Buffer | undefined;
  /** The highest TLS version that is offered. Default: TLS 1.3. */
  readonly maxVersion?: 'TLSv1.2' | undefined;
  /** Called with the encrypted bytes that are received. */
  readonly onReceived?: ((piece: Buffer) => void) | undefined;
  /** Called with each line of the connection's key log (RFC 9850). */
  readonly onKeyLog?: ((line: string) => void) | undefined;
}

/** A connection to the target. Without TLS, `tcp` and `stream` are the same socket. */
export interface Opened {
  readonly stream: Socket;
  readonly tcp: Socket;
  readonly tls: TLSSocket | undefined;
}

/**
 * Opens a TCP connection, and TLS on it if asked for.
 *
 * @param time limit in milliseconds for TCP and TLS together
 * @throws the error of the connection or handshake
 */
export async function open(endpoint: Endpoint, time: number): Promise<Opened> {
  const { host, port, preamble, tls, onread, signal } = endpoint;
  const address = {
    host,
    port,
    allowHalfOpen: true,
    ...(onread && { onread }),
    ...(signal && { signal }),
  };
  // Node's TLS reads into the buffer of `onread` only if it opens the TCP connection too.
  const secureTcp = tls && onread && connectTls({ ...address, ...connectionOptions(tls) });
  const tcp = secureTcp ?? connectTcp(address);
  tcp.setNoDelay();
  const timer = setTimeout(() => {
    const error = new Error(`no connection within ${time} ms`);
    const syscall = tcp.connecting ? 'connect' : undefined;
    tcp.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall }));
  }, time);
  try {
    if (secureTcp) {
      await whenOpened(secureTcp, 'secureConnect');
      return { stream: secureTcp, tcp: secureTcp, tls: secureTcp };
    }
    await whenOpened(tcp, 'connect');
    if (preamble) tcp.write(preamble);
    if (!tls) return { stream: tcp, tcp, tls: undefined };
    // Node's TLS reads from the handle of a net.Socket directly, so the encrypted bytes could not be seen.
    const socket = tls.onReceived ? new JavaScriptSocket(tcp) : tcp;
    if (tls.onReceived) tcp.on('data', tls.onReceived);
    // Node 24 and later resume a session only for the `host` of the connection that it came from.
    const secure = connectTls({ socket, host, ...connectionOptions(tls) });
    const { onKeyLog } = tls;
    if (onKeyLog) secure.on('keylog', (line: Buffer) => onKeyLog(line.toString('latin1')));
    if (tls.onReceived) emitConnect(socket);
    await whenOpened(secure, 'secureConnect');
    return { stream: secure, tcp, tls: secure };
  } catch (error) {
    tcp.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function connectionOptions(tls: TlsOptions): ConnectionOptions {
  return {
    rejectUnauthorized: !tls.insecure,
    ...(tls.servername !== undefined && { servername: tls.servername }),
    ...(tls.alpn.length > 0 && { ALPNProtocols: [...tls.alpn] }),
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert, key: tls.key }),
    ...(tls.context !== undefined && { secureContext: tls.context }),
    ...(tls.session !== undefined && { session: tls.session }),
    ...(tls.maxVersion !== undefined && { maxVersion: tls.maxVersion }),
    // A certificate for another name must not fail the handshake if none is verified: a check reports it. Otherwise it is
    // verified against SNI, or the host: the TCP connection may go to an address in place of it.
    checkServerIdentity: (_, certificate) =>
      tls.insecure ? undefined : checkServerIdentity(tls.servername ?? tls.host, certificate),
  };
}

function whenOpened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      socket.off('error', reject);
      // After the handshake, errors show as `close`, which ends the transfer.
      socket.on('error', () => undefined);
      resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Unjudged('the connection was closed')));
  });
}

/** Calls `ended` when the peer ends the connection, and `reset` before that if the peer resets it. */
export function onEnd({ stream, tcp }: Opened, ended: () => void, reset: () => void): void {
  stream.on('end', ended).on('close', ended);
  for (const socket of new Set([stream, tcp])) {
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET' || code === 'EPIPE') reset();
    });
  }
}

/** Whether no TCP connection could be opened: this does not show how the target handles connections. */
export function isConnectError(error: unknown): boolean {
  // Node tries each address of a name, and collects the errors.
  if (error instanceof AggregateError) return error.errors.every(isConnectError);
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return error.syscall === 'connect' || error.syscall === 'getaddrinfo';
}

/** Whether TCP or TLS was not established within the time limit. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
}

/** The name of the alert that ended a handshake; undefined for another error. */
export function alertOf(error: unknown): string | undefined {
  const [, number] = /SSL alert number (\d+)/.exec(String(error)) ?? [];
  return number === undefined ? undefined : alertName(Number(number));
}

/** How a connection or handshake failed, in words. */
export function failureText(error: unknown): string {
  const alert = alertOf(error);
  if (alert !== undefined) return `the alert ${alert}`;
  if (!(error instanceof Error)) return String(error);
  // Messages of OpenSSL contain memory addresses, so only the code is shown.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The unusual parts of a ClientHello, and what the server selects, as text for reports. */
export function handshakeText(
  { alpn, servername, maxVersion }: Partial<TlsOptions>,
  selected: TLSSocket | undefined,
  failure: string,
): { readonly sent: string; readonly received: string } {
  const offered = [
    alpn && `ALPN ${alpn.join(', ') || 'none'}`,
    servername !== undefined && `server_name ${servername}`,
    maxVersion && `at most ${maxVersion}`,
  ];
  const shown = offered.filter((part) => typeof part === 'string').join('; ');
  return {
    sent: `ClientHello${shown === '' ? '' : `: ${shown}`}`,
    received: selected
      ? `the handshake is complete: ${selected.getProtocol() ?? 'TLS'}, ALPN ${selected.alpnProtocol || 'none'}`
      : failure,
  };
}
