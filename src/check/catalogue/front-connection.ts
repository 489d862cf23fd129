import type { RequestMessage, Transfer } from '../message.ts';
import { receivedOf, tagged } from '../origin.ts';
import type { Echo, Session } from '../session.ts';
import type { Client } from '../target.ts';

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

  /** Sends a request to a target that is made unique. */
  async send(request: RequestMessage): Promise<Transfer> {
    const message = { ...request, target: this.#session.unique(request.target) };
    this.#client ??= await this.#session.open();
    const transfer = await this.#session.sendOn(this.#client, message);
    if (!transfer.isReusable) this.#client = undefined;
    return transfer;
  }

  /** Sends a request to `/anything`. */
  async echo(request: Partial<RequestMessage> = {}): Promise<Echo> {
    const tag = this.#session.newTag();
    const transfer = await this.send(tagged(tag, { target: `/anything/${tag}`, ...request }));
    return { transfer, received: receivedOf(transfer, tag), tag };
  }
}
