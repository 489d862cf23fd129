/// <reference lib="esnext.disposable" preserve="true" />
import { env } from 'node:process';
import { localAuthority } from '../http/ip-address.ts';
import { makeCredentials } from '../net/certificates.ts';
import type { ServiceOptions } from '../settings/options.ts';
import { readOptions } from '../settings/read-options.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createTrace } from '../telemetry/trace.ts';
import { Service as Server } from './service.ts';
import { loadCredentials } from './tls.ts';

/** A listening service. One port serves all protocols. */
export interface Service extends AsyncDisposable {
  /** For HTTP/1.1, and HTTP/2 with prior knowledge: `http://127.0.0.1:49152`. */
  readonly httpOrigin: string;
  /** For HTTP/2 and HTTP/1.1 over TLS, selected by ALPN: `https://127.0.0.1:49152`. */
  readonly httpsOrigin: string;
  /** The IP address the service listens on. */
  readonly address: string;
  readonly port: number;
  /**
   * The certificate chain in PEM. Without `tlsCert`, a self-signed certificate for `localhost`,
   * `127.0.0.1`, `::1` and this machine's host name, which clients can trust as a CA.
   */
  readonly certificate: string;
  /**
   * Aborts open requests, closes all connections and the port. Resolves when the last connection has
   * closed; may be called more than once. `await using` calls it.
   */
  close(): Promise<void>;
  /**
   * Closes gracefully: `/readyz` responds with 503 for `drainDelay`, then the port is closed, and open
   * requests get `drainTimeout` to complete. Idle connections are closed after a second.
   *
   * @returns the number of requests that were aborted when `drainTimeout` expired
   */
  drain(): Promise<number>;
  /**
   * Resolves with the code of `/control/exit`, which closes the service as `close` does and leaves the
   * process as it is.
   */
  readonly exited: Promise<number>;
}

const SILENT: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/**
 * Starts wirebin in this process, on a free port of 127.0.0.1, with a new certificate that is kept in
 * memory. It handles no signals, reads no `WIREBIN_` variables and writes nothing to standard output.
 * A process can run any number of services.
 *
 * @param options the settings of the command line, by their camelCase names
 * @returns a promise that is fulfilled once the service listens
 * @throws {@link SettingsError} for an invalid option; an `Error` if a file cannot be read or the port
 *   is in use
 *
 * @example
 * ```js
 * import assert from 'node:assert/strict';
 * import { test } from 'node:test';
 * import { createService } from 'wirebin';
 *
 * test('sends its fields', async (t) => {
 *   const service = await createService();
 *   t.after(() => service.close());
 *   const response = await fetch(`${service.httpOrigin}/headers`, { headers: { 'X-Test': '1' } });
 *   const { headers } = await response.json();
 *   assert.equal(headers['x-test'], '1');
 * });
 * ```
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const settings = readOptions(options, env);
  const credentials = await loadCredentials(settings, makeCredentials);
  let resolveExited: ((code: number) => void) | undefined;
  const exited = new Promise<number>((resolve) => {
    resolveExited = resolve;
  });
  const server = await Server.create(settings, options.logger ?? SILENT, {
    credentials,
    observer: createTrace(),
    exit(code) {
      server.close();
      resolveExited?.(code);
    },
  });
  const close = (): Promise<void> => server.stop();
  try {
    const { address, port } = await server.listen();
    const authority = localAuthority(address, port);
    return {
      httpOrigin: `http://${authority}`,
      httpsOrigin: `https://${authority}`,
      address,
      port,
      certificate: credentials.cert.toString(),
      close,
      drain: () => server.drain(),
      exited,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
