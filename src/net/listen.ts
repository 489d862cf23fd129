import type { AddressInfo, Server } from 'node:net';

/** Options of all accepted sockets: no Nagle delay, TCP keep-alive, and paused until they may be read. */
export const SOCKET_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  /** In milliseconds. */
  keepAliveInitialDelay: 60_000,
  pauseOnConnect: true,
} as const;

/**
 * Length of the accept queue; Linux limits it to net.core.somaxconn, 4096 by default. A burst fills Node's default of
 * 511 immediately; clients then repeat their SYN only after 1, 3 and 7 s.
 */
const BACKLOG = 4096;

/**
 * @param host undefined for all IPv4 and IPv6 addresses
 * @param onAcceptError called when accepting fails, after the server is listening
 * @throws if the address cannot be used; the message is for the user
 */
export function listen(
  server: Server,
  port: number,
  host: string | undefined,
  onAcceptError: (error: Error) => void,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(new Error(errorMessage(error, port, host), { cause: error }));
    };
    // Removes listeners of an earlier call: a port can be closed and opened again.
    server.removeAllListeners('error').once('error', onError);
    server.listen({ port, backlog: BACKLOG, ...(host !== undefined && { host }) }, () => {
      server.off('error', onError).on('error', onAcceptError);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('not a TCP address'));
      else resolve(address);
    });
  });
}

function errorMessage({ code, message }: NodeJS.ErrnoException, port: number, host = ''): string {
  const at = host === '' ? '' : ` at ${host}`;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use${at}`;
    case 'EACCES':
      return `no permission to listen on port ${port}${at}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine`;
    default:
      return `cannot listen on port ${port}${at}: ${message}`;
  }
}
