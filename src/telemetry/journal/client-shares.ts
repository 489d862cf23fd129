import { AgingMap } from './aging-map.ts';

/** Values by client, which finds the client with the most values in constant time. */
export class ClientShares<T> {
  readonly #clients = new Map<string, AgingMap<T>>();
  /** Index: number of values. Element: clients with that number, longest-standing first. */
  readonly #bySize: (AgingMap<AgingMap<T>> | undefined)[] = [];

  /** How many values a client has. */
  count(client: string): number {
    return this.#clients.get(client)?.size ?? 0;
  }

  /** The values of the client that has the most; undefined if there are none. */
  get largest(): AgingMap<T> | undefined {
    return this.#bySize.at(-1)?.oldest;
  }

  /** Sets a value, which becomes the client's newest. */
  set(client: string, key: string, value: T): void {
    const values = this.#clients.get(client) ?? new AgingMap<T>();
    this.#clients.set(client, values);
    const before = values.size;
    values.set(key, value);
    this.#move(client, values, before);
  }

  delete(client: string, key: string): void {
    const values = this.#clients.get(client);
    if (!values) return;
    const before = values.size;
    values.delete(key);
    this.#move(client, values, before);
    if (values.size === 0) this.#clients.delete(client);
  }

  /** Moves a client to the element for its new number of values. @param before its previous number */
  #move(client: string, values: AgingMap<T>, before: number): void {
    const { size } = values;
    if (before === size) return;
    const former = this.#bySize[before];
    former?.delete(client);
    if (former?.size === 0) this.#bySize[before] = undefined;
    if (size > 0) (this.#bySize[size] ??= new AgingMap()).set(client, values);
    while (this.#bySize.length > 0 && this.#bySize.at(-1) === undefined) this.#bySize.pop();
  }
}
