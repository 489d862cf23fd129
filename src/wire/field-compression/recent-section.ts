const NOTHING: Buffer = Buffer.alloc(0);
/** Longer sections are compared by Buffer. */
const MAX_LOOP = 128;

/** The last encoded field section that was kept, with its decoded form. Peers repeat sections often. */
export class RecentSection<Section> {
  #bytes = NOTHING;
  #section: Section | undefined;

  /** The decoded section if these are its encoded bytes. */
  find(bytes: Buffer): Section | undefined {
    return this.#section !== undefined && isSame(this.#bytes, bytes) ? this.#section : undefined;
  }

  /** Keeps a section in place of the one before, with a copy of its bytes. */
  keep(bytes: Buffer, section: Section): void {
    this.#section = section;
    if (this.#bytes.length === bytes.length) this.#bytes.set(bytes);
    else this.#bytes = Buffer.from(bytes);
  }

  forget(): void {
    this.#section = undefined;
  }
}

/** As `Buffer.equals`, which takes three times as long for a short section. */
function isSame(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  if (one.length > MAX_LOOP) return one.equals(other);
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
