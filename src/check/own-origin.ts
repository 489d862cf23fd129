import { createService } from '../index.ts';

/** An origin in this process. */
export interface RunningOrigin {
  readonly url: URL;
  close(): Promise<void>;
}

/** Starts a wirebin with all that checks need. @param port 0 picks a free one, on the loopback interface */
export async function startOrigin(port: number): Promise<RunningOrigin> {
  const service = await createService({
    port,
    host: port === 0 ? '127.0.0.1' : '::',
    allowRaw: true,
    clientCert: 'request',
    proxyProtocol: 'optional',
  });
  return { url: new URL(`http://127.0.0.1:${service.port}`), close: () => service.close() };
}
