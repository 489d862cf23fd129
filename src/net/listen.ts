import type { AddressInfo, Server } from 'node:net';

/** What every accepted socket is set to: small answers at once, and TCP asks after silent peers. */
export const SOCKET_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  /** Milliseconds of silence. */
  keepAliveInitialDelay: 60_000,
} as const;

/**
 * Makes a server listen.
 *
 * @param host undefined for every address, IPv4 and IPv6
 * @param onAcceptError told later when a connection could not be accepted
 * @throws where the address cannot be used; the message is for the user
 */
export function listen(
  server: Server,
  port: number,
  host: string | undefined,
  onAcceptError: (error: Error) => void,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(new Error(listenErrorMessage(error, port, host), { cause: error }));
    };
    server.once('error', onError);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', onError).on('error', onAcceptError);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('not a TCP address'));
      else resolve(address);
    });
  });
}

/** What stands in the way of listening, in plain words. */
function listenErrorMessage(
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host = '',
): string {
  const at = host === '' ? '' : ` at ${host}`;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use${at}`;
    case 'EACCES':
      return `port ${port}${at} needs privileges that this user does not have`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine`;
    default:
      return `cannot listen on port ${port}${at}: ${message}`;
  }
}
