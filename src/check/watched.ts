import { addressOf } from './path-prefix.ts';
import type { Http1Client } from './client/http1-client.ts';
import type { FrontName } from './front.ts';
import { recountInstances } from './instance-count.ts';
import { outcomeOf, valueOf, type ResponseMessage, type Transfer } from './message.ts';
import { newTag, problemType, processAt } from './origin.ts';
import type { Facts } from './probe.ts';
import type { Target } from './target.ts';
import { NotForwarded, Watch, type Watched } from './watch.ts';

/** Makes the watch of a run. @param signal aborts when the user interrupts the run */
export function watchOf(target: Target, facts: Facts, time: number, signal: AbortSignal): Watch {
  return new Watch({
    origins: target.hasOrigins ? target.origins.map((url) => new WatchedOrigin(target, url)) : [],
    target: new WatchedTarget(target, facts.fronts),
    time,
    signal,
  });
}

/** An origin reached directly, asked on a kept connection. */
class WatchedOrigin implements Watched {
  readonly #target: Target;
  readonly #url: URL;
  #client: Http1Client | undefined;
  #isClosed = false;

  constructor(target: Target, url: URL) {
    this.#target = target;
    this.#url = url;
  }

  get name(): string {
    return `the origin ${addressOf(this.#url)}`;
  }

  async ask(time: number): Promise<string> {
    const kept = this.#client?.isEnded === true ? undefined : this.#client;
    let transfer = kept && (await kept.send({ target: '/version' }, { time }));
    // Asks again if the origin had closed the kept connection. After a timeout, asking again would not help.
    if (transfer?.response === undefined && transfer?.ending !== 'timeout')
      transfer = await this.#askAnew(time);
    if (!transfer.isReusable) this.#drop();
    const process = processOf(requireResponse(transfer)) ?? '';
    if (process !== '') this.#target.instances.reached(this.#url, process);
    return process;
  }

  async #askAnew(time: number): Promise<Transfer> {
    this.#drop();
    const client = await this.#target.openOrigin(this.#url, time);
    this.#client = client;
    // If the run ended during the connect, nothing else would close the connection, and the process would not exit.
    if (this.#isClosed) this.#drop();
    return client.send({ target: '/version' }, { time });
  }

  #drop(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }
}

/** The target, and through it an origin, asked on a new connection each time. */
class WatchedTarget implements Watched {
  readonly #target: Target;
  readonly #fronts: readonly FrontName[];

  constructor(target: Target, fronts: readonly FrontName[]) {
    this.#target = target;
    this.#fronts = fronts;
  }

  get name(): string {
    return `the target ${this.#target.name}`;
  }

  async ask(time: number): Promise<string> {
    const [front = 'http/1.1'] = this.#fronts;
    const client = await this.#target.open(front, time);
    // A unique query, so that no cache answers.
    const target = `/version?check=${newTag()}`;
    const response = requireResponse(
      await client.send({ target }, { time }).finally(() => client.close()),
    );
    const process = processOf(response);
    if (process === undefined) {
      const server = valueOf(response.fields, 'server') ?? 'a server without a name';
      throw new NotForwarded(`${response.status} from ${server}`);
    }
    const { instances, hasOrigins } = this.#target;
    if (hasOrigins) return '';
    instances.saw(process);
    if (!instances.isCounted) await recountInstances(this.#target, this.#fronts, time);
    return instances.identity;
  }

  close(): void {
    // Nothing to close: each question has its own connection.
  }
}

/** The response of a transfer. @throws Error if there is none */
function requireResponse(transfer: Transfer): ResponseMessage {
  if (!transfer.response) throw new Error(outcomeOf(transfer));
  return transfer.response;
}

/** The process id of the wirebin that responded; empty if it is missing, undefined if the response is another's. */
function processOf(response: ResponseMessage): string | undefined {
  // `/version` may be turned off. Then only the problem document shows that it is wirebin.
  return processAt(response)?.process ?? (problemType(response) === undefined ? undefined : '');
}
