import {
  connect,
  createServer,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  type Http2Server,
  type SecureClientSessionOptions,
  type ServerOptions,
} from 'node:http2';
import { versions } from 'node:process';
import { Duplex } from 'node:stream';
import { hasHttp2Fixes } from './http2-fixes.ts';
import { deferDestroy, keepRefusedStreams, outliveStreams } from './node-internals-http2.ts';

/**
 * `createServer` of `node:http2`, fixed so that a client cannot end the process with HEADERS after a GOAWAY. Pass each
 * session to `deferDestroy`, and its streams to `outliveStreams`.
 */
export function createHttp2Server(options: ServerOptions = {}): Http2Server {
  applyHttp2Fixes();
  return createServer(options);
}

/** `connect` of `node:http2`, fixed so that a server cannot end the process (`deferDestroy`, `outliveStreams`). */
export function connectHttp2(
  authority: string,
  options: ClientSessionOptions | SecureClientSessionOptions = {},
): ClientHttp2Session {
  applyHttp2Fixes();
  const session = connect(authority, options);
  let socket: Duplex | undefined;
  session.once('connect', (_session, connected) => {
    socket = connected;
  });
  deferDestroy(session, () => {
    if (session.destroyed) return;
    // A destroyed session closes its socket after its last write, and then waits for the server's FIN. On Node 20 over
    // TLS, the last write never finishes if the one before it has failed, and this is not reported.
    const timer = setTimeout(() => socket?.destroy(), CLOSE_TIME).unref();
    session.once('close', () => clearTimeout(timer));
  });
  const outlive = outliveStreams(session);
  function onClose(this: ClientHttp2Stream): void {
    outlive(this);
  }
  const request = session.request.bind(session);
  session.request = (...args) => request(...args).on('close', onClose);
  return session;
}

/** Milliseconds within which a destroyed session must close its socket. */
const CLOSE_TIME = 1000;

let isApplied = hasHttp2Fixes(versions.node);

/** Patches HTTP/2 in releases of Node without the security fixes, once per process. */
function applyHttp2Fixes(): void {
  if (isApplied) return;
  isApplied = true;
  // Native streams can be reached only through a session. The one made here leads nowhere.
  const socket = new Duplex({ read: ignore, write: (_chunk, _encoding, written) => written() });
  const session = connect('http://localhost', { createConnection: () => socket });
  session.on('error', ignore);
  const stream = session.request();
  stream.on('error', ignore);
  keepRefusedStreams(stream);
  session.destroy();
}

const ignore = (): void => undefined;
