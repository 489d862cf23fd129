/** What became of the requests of a load, by what their sender and the journal of the origin say. */
export interface Account {
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
  /** Failed, and never reached the origin. */
  readonly lost: number;
  /** Failed, although the origin has received them: their responses were lost. */
  readonly responsesLost: number;
  /** Answered, but not by the origin: a cache, or another origin. */
  readonly answeredElsewhere: number;
  /** Reached the origin more than once: something has sent them again. */
  readonly repeated: number;
  /** Not found in the journal, of which a part is missing. */
  readonly unknown: number;
}

type Outcome = 'open' | 'answered' | 'failed';

interface Entry {
  outcome: Outcome;
  arrivals: number;
  isUnknown: boolean;
}

const isMissing = ({ arrivals, isUnknown }: Entry): boolean => arrivals === 0 && !isUnknown;

/** Compares the requests that were sent, which are numbered from 0, with those that the origin has received. */
export class Ledger {
  readonly #entries: Entry[] = [];

  /** Adds a request. @returns its number */
  add(): number {
    return this.#entries.push({ outcome: 'open', arrivals: 0, isUnknown: false }) - 1;
  }

  settle(number: number, isAnswered: boolean): void {
    const entry = this.#entries[number];
    if (entry) entry.outcome = isAnswered ? 'answered' : 'failed';
  }

  /** Sets how often the origin has received a request. @param isUnknown whether it may have done so more often */
  arrived(number: number, arrivals: number, isUnknown: boolean): void {
    const entry = this.#entries[number];
    if (!entry) return;
    entry.arrivals = Math.max(entry.arrivals, arrivals);
    entry.isUnknown = isUnknown && entry.arrivals === 0;
  }

  get sent(): number {
    return this.#entries.length;
  }

  isOpen(number: number): boolean {
    return this.#entries[number]?.outcome === 'open';
  }

  hasArrived(number: number): boolean {
    return (this.#entries[number]?.arrivals ?? 0) > 0;
  }

  account(): Account {
    const count = (isPart: (entry: Entry) => boolean): number =>
      this.#entries.reduce((sum, entry) => sum + Number(isPart(entry)), 0);
    return {
      sent: this.sent,
      answered: count(({ outcome }) => outcome === 'answered'),
      failed: count(({ outcome }) => outcome === 'failed'),
      lost: count((entry) => entry.outcome === 'failed' && isMissing(entry)),
      responsesLost: count(({ outcome, arrivals }) => outcome === 'failed' && arrivals > 0),
      answeredElsewhere: count((entry) => entry.outcome === 'answered' && isMissing(entry)),
      repeated: count(({ arrivals }) => arrivals > 1),
      unknown: count(({ isUnknown }) => isUnknown),
    };
  }
}
