/** A queue whose owners take turns: one with many items does not delay those of others. */
export class FairQueue<Owner, Item> {
  /** Owners in the order of their turns. */
  readonly #items = new Map<Owner, Item[]>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** The owner whose turn is next. */
  get next(): Owner | undefined {
    return this.#items.keys().next().value;
  }

  /** Whether items of this owner are queued. */
  has(owner: Owner): boolean {
    return this.#items.has(owner);
  }

  push(owner: Owner, item: Item): void {
    const items = this.#items.get(owner);
    if (items) items.push(item);
    else this.#items.set(owner, [item]);
  }

  /** Removes the next item. @param isLast whether an owner's items come after those of all others */
  shift(isLast?: (owner: Owner) => boolean): Item | undefined {
    const owner = this.#nextOwner(isLast);
    if (owner === undefined) return undefined;
    const items = this.#items.get(owner) ?? [];
    const item = items.shift();
    this.#items.delete(owner);
    if (items.length > 0) this.#items.set(owner, items);
    return item;
  }

  /** Removes an item, if it is queued. */
  delete(owner: Owner, item: Item): void {
    const items = this.#items.get(owner) ?? [];
    const at = items.indexOf(item);
    if (at >= 0) items.splice(at, 1);
    if (items.length === 0) this.#items.delete(owner);
  }

  #nextOwner(isLast?: (owner: Owner) => boolean): Owner | undefined {
    const owners = this.#items.keys();
    if (isLast) for (const owner of owners) if (!isLast(owner)) return owner;
    return this.next;
  }
}
