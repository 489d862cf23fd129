import type { Answer } from './capability.ts';
import type { FrontName } from './front.ts';

/** What is kept here of a record in docs/proxies/. */
export interface Recorded {
  /** Of the product. */
  readonly version: string;
  /** The protocol of the connections to the origin. */
  readonly origin: string;
  /** The checks that failed, of all levels: on both front sides, or on one only. */
  readonly findings: Readonly<Record<FrontName | 'both', string>>;
  /** What the product does: ids of capabilities by their answers. */
  readonly capabilities: Readonly<Partial<Record<Answer, string>>>;
  /** A later version with the same configuration, and which of the checks that failed pass there. */
  readonly later?: { readonly version: string; readonly passes: string };
}

/** By folder. */
export type Records = Readonly<Record<string, Recorded>>;
