import { AgingMap } from './aging-map.ts';

/** Values by the client that they belong to. Finds who has the most of them at once, however many clients there are. */
export class ClientShares<T> {
  readonly #clients = new Map<string, AgingMap<T>>();
  /** The clients that have as many values as the index, those who have had so many for longest first. */
  readonly #bySize: Set<string>[] = [];

  /** How many values a client has. */
  count(client: string): number {
    return this.#clients.get(client)?.size ?? 0;
  }

  /** The values of the client that has the most; undefined if there are none. */
  get largest(): AgingMap<T> | undefined {
    const [client] = this.#bySize.at(-1) ?? [];
    return client === undefined ? undefined : this.#clients.get(client);
  }

  /** Sets a value, which becomes the client's newest. */
  set(client: string, key: string, value: T): void {
    const values = this.#clients.get(client) ?? new AgingMap<T>();
    this.#clients.set(client, values);
    const before = values.size;
    values.set(key, value);
    this.#move(client, before, values.size);
  }

  delete(client: string, key: string): void {
    const values = this.#clients.get(client);
    if (!values) return;
    const before = values.size;
    values.delete(key);
    this.#move(client, before, values.size);
    if (values.size === 0) this.#clients.delete(client);
  }

  #move(client: string, before: number, after: number): void {
    if (before === after) return;
    this.#bySize[before]?.delete(client);
    if (after > 0) (this.#bySize[after] ??= new Set()).add(client);
    while (this.#bySize.length > 0 && !this.#bySize.at(-1)?.size) this.#bySize.pop();
  }
}
