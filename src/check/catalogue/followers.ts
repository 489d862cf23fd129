import { setTimeout as pause } from 'node:timers/promises';
import type { RequestMessage, Transfer } from '../message.ts';
import type { Session } from '../session.ts';
import { fail, type Verdict } from '../verdict.ts';
import { PROMPT } from './bounds.ts';
import { FrontConnection } from './front-connection.ts';
import { withoutEcho } from './received.ts';

/** Milliseconds for the target to notice what the origin sends after a response, or that a client has gone. */
const NOTICE = 50;

/**
 * Clients whose requests follow something that went wrong between the target and the origin. Their connections are kept,
 * and spread over the workers of the target.
 */
export class Followers {
  readonly #connections: readonly FrontConnection[];

  /** @param count of requests that are sent at once */
  constructor(session: Session, count: number) {
    this.#connections = Array.from({ length: count }, () => new FrontConnection(session));
  }

  /** Sends a request on one of the connections, so that the worker that serves it serves one that follows. */
  async send(message: RequestMessage): Promise<Transfer> {
    const [first] = this.#connections;
    if (!first) throw new Error('there are no followers');
    await pause(NOTICE);
    // Some targets wait for the end of what the origin has broken off.
    return first.send(message, { time: PROMPT });
  }

  /** Sends requests at once. @returns the finding that one of them has not got its own response */
  async unserved(what: string, ...evidence: readonly Transfer[]): Promise<Verdict | undefined> {
    await pause(NOTICE);
    const echoes = await Promise.all(this.#connections.map((each) => each.echo()));
    const lost = echoes.find(({ received }) => !received);
    if (!lost) return undefined;
    const found = `${withoutEcho(lost)}, for a request after ${what}`;
    return fail('its own response', found, ...evidence, lost.transfer);
  }
}
