import { Http1Client } from '../client/http1-client.ts';
import type { RequestMessage, Transfer } from '../message.ts';
import type { Echo, EchoRequest, Session } from '../session.ts';
import type { Client } from '../target.ts';

/** More than the idle connections to the origin that a worker of the target is likely to have. */
const MAX_IDLE = 100;

/**
 * Requests one after the other on one connection of the client, so that one worker of the target serves
 * them. A connection that the target closes is replaced.
 */
export class FrontConnection {
  readonly #session: Session;
  #client: Client | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Sends a request. Its target is made unique, so that no cache answers it. */
  async send(message: RequestMessage, { time } = { time: this.#session.time }): Promise<Transfer> {
    const transfer = await this.#session.sendOn(await this.#open(), message, { time });
    this.#dropIfClosing(transfer);
    return transfer;
  }

  /** Sends a request to `/anything`. */
  async echo(request: EchoRequest = {}): Promise<Echo> {
    const echo = await this.#session.echoOn(await this.#open(), request);
    this.#dropIfClosing(echo.transfer);
    return echo;
  }

  /**
   * Makes the origin close the idle connections of the worker that serves this one, so that the next request opens a
   * connection to the origin, and the one after it has no other to use.
   *
   * @returns this connection of the client
   */
  async emptyPool(): Promise<Client> {
    // HAProxy opens a connection for the first request of each client, even if it has idle ones.
    for (let sent = 0, opened = 0; sent < MAX_IDLE && opened < 2; sent++) {
      const { received } = await this.echo({ target: '/anything?connection=close' });
      if (!received) break;
      opened = received.requestNumber === 1 ? opened + 1 : 0;
    }
    return this.#open();
  }

  async #open(): Promise<Client> {
    // A target may close a connection at any time, even after the response (RFC 9112 9.3.1).
    if (!this.#client || isClosing(this.#client)) this.#client = await this.#session.open();
    return this.#client;
  }

  #dropIfClosing({ isReusable }: Transfer): void {
    if (!isReusable) this.#client = undefined;
  }
}

/** Whether the target has closed a connection, or announced that it will. */
function isClosing(client: Client): boolean {
  return client instanceof Http1Client
    ? client.isEnded
    : client.isClosed || client.goaway !== undefined;
}
