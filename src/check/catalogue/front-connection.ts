import type { Http1Client } from '../client/http1-client.ts';
import type { Http2Client } from '../client/http2-client.ts';
import type { FieldLine, RequestMessage, Transfer } from '../message.ts';
import { receivedOf, TAG } from '../origin.ts';
import type { Echo, Session } from '../session.ts';

/**
 * Requests one after the other on one connection of the client, so that one worker of the target serves
 * them. A connection that the target closes is replaced.
 */
export class FrontConnection {
  readonly #session: Session;
  #http1: Http1Client | undefined;
  #http2: Http2Client | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Sends a request to a target that is made unique. */
  async send(request: RequestMessage): Promise<Transfer> {
    const { front, time } = this.#session;
    const message = { ...request, target: this.#session.unique(request.target) };
    if (front === 'h2') {
      this.#http2 ??= await this.#session.openHttp2();
      const transfer = this.#session.record(await this.#http2.send(message, time));
      if (!transfer.isReusable) this.#http2 = undefined;
      return transfer;
    }
    this.#http1 ??= await this.#session.openHttp1();
    const transfer = this.#session.record(await this.#http1.send(message, { time }));
    if (!transfer.isReusable) this.#http1 = undefined;
    return transfer;
  }

  /** Sends a request to `/anything`. */
  async echo(request: Partial<RequestMessage> = {}): Promise<Echo> {
    const tag = this.#session.newTag();
    const transfer = await this.send(tagged(tag, { target: `/anything/${tag}`, ...request }));
    return { transfer, received: receivedOf(transfer, tag), tag };
  }
}

/** A request with a tag. */
export function tagged(tag: string, message: RequestMessage): RequestMessage {
  return { ...message, fields: [...(message.fields ?? []), [TAG, tag] satisfies FieldLine] };
}

/** How a response ended, in words: its status, unless it is not complete. */
export function outcomeOf({ response, ending }: Transfer): string {
  if (!response) return `no response (${ending})`;
  const { status, content } = response;
  return ending === 'complete'
    ? String(status)
    : `${status} with ${content.length} bytes, then ${ending}`;
}
