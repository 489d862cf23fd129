import { randomBytes } from 'node:crypto';
import { createService } from '../service/create-service.ts';

/** An origin that runs in this process. */
export interface RunningOrigin {
  readonly url: URL;
  /** The token for its --control. */
  readonly control: string;
  close(): Promise<void>;
}

/**
 * Starts a wirebin with all that checks need, on the loopback interface.
 *
 * @param port 0 picks a free one
 * @param pathPrefix below which it is
 */
export async function startOrigin(port: number, pathPrefix = ''): Promise<RunningOrigin> {
  const control = randomBytes(16).toString('hex');
  const service = await createService({
    control,
    port,
    host: port === 0 ? '127.0.0.1' : '::',
    allowRaw: true,
    clientCert: 'request',
    proxyProtocol: 'optional',
    h2EnableConnectProtocol: true,
    websocketDeflate: true,
    ...(pathPrefix !== '' && { pathPrefix }),
  });
  return {
    url: new URL(`http://127.0.0.1:${service.port}${pathPrefix}`),
    control,
    close: () => service.close(),
  };
}
