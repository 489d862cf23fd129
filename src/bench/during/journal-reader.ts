import type { Http1Client } from '../../check/client/http1-client.ts';
import { outcomeOf } from '../../check/message.ts';
import { reader } from '../../check/origin.ts';
import type { Target } from '../../check/target.ts';
import { journalSchema, type JournalView } from '../../telemetry/journal/entry.ts';

const viewOf = reader<JournalView>(journalSchema);

/** Reads the journal of an origin, on one connection as long as that stays open. */
export class JournalReader {
  readonly #target: Target;
  readonly #time: number;
  #client: Http1Client | undefined;

  /** @param target the origin, or what leads to it @param time limit of each request, in milliseconds */
  constructor(target: Target, time: number) {
    this.#target = target;
    this.#time = time;
  }

  /** Reads all entries of a key. @throws if the response is no journal */
  async read(key: string): Promise<JournalView> {
    if (this.#client?.isEnded !== false) this.#client = await this.#target.openHttp1(this.#time);
    const fields = [['Cache-Control', 'no-cache']] as const;
    const message = { target: `/journal/${key}`, fields };
    const transfer = await this.#client.send(message, { time: this.#time });
    const view = viewOf(transfer.response);
    if (view) return view;
    this.close();
    throw new Error(outcomeOf(transfer));
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }
}
