/** A queue whose owners take turns: one owner with many items does not delay the others. */
export class FairQueue<Owner, Item> {
  /** Owners in the order of their turns. */
  readonly #items = new Map<Owner, Item[]>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  has(owner: Owner): boolean {
    return this.#items.has(owner);
  }

  get next(): Owner | undefined {
    return this.#items.keys().next().value;
  }

  push(owner: Owner, item: Item): void {
    const items = this.#items.get(owner);
    if (items) items.push(item);
    else this.#items.set(owner, [item]);
  }

  /** Removes the next item. @param isLast whether the items of an owner come after those of all others */
  shift(isLast?: (owner: Owner) => boolean): Item | undefined {
    const owner = this.#nextOwner(isLast);
    if (owner === undefined) return undefined;
    const items = this.#items.get(owner) ?? [];
    const item = items.shift();
    this.#items.delete(owner);
    if (items.length > 0) this.#items.set(owner, items);
    return item;
  }

  delete(owner: Owner, item: Item): void {
    const items = this.#items.get(owner) ?? [];
    const at = items.indexOf(item);
    if (at >= 0) items.splice(at, 1);
    if (items.length === 0) this.#items.delete(owner);
  }

  #nextOwner(isLast?: (owner: Owner) => boolean): Owner | undefined {
    if (isLast) for (const owner of this.#items.keys()) if (!isLast(owner)) return owner;
    return this.next;
  }
}

/**
 * A queue that returns the newest and the oldest item alternately. In a flood of clients, the oldest may already have
 * given up, but new ones may keep coming.
 */
export class NewestAndOldest<Item> {
  readonly #items: Item[] = [];
  #isNewestNext = true;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /* v8 ignore next -- TurnBudget.isSpentBy() needs it, but is called only for requests, which use a FairQueue */
  has(): boolean {
    return false;
  }

  push(_owner: unknown, item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#isNewestNext ? this.#items.pop() : this.#items.shift();
    this.#isNewestNext = !this.#isNewestNext;
    return item;
  }
}
