import type { Sender } from '../protocol-reader.ts';

/** Plain data for JSON. */
export type View = Readonly<Record<string, unknown>>;

/** Decides what of a message may be shown. */
export interface Redaction {
  /** The TLS records that carried certain bytes of a direction. Default: not shown. */
  readonly records?: (from: Sender, offset: number, bytes: number) => View;
  /** Estimated bytes of the fields shown of an HTTP/2 field block. Default: no limit. */
  readonly maxFieldsSize?: number;
  /** Redacts a header or trailer section as sent, in Latin-1. */
  readonly section: (text: string) => string;
  readonly field: (name: string, value: string) => string;
  /** Redacts text in place of a field name. */
  name(name: string): string;
  /** Redacts a part of a start line or chunk line. */
  line(text: string): string;
  readonly target: (target: string) => string;
  /** Redacts bytes that are neither fields nor a target, in Latin-1. */
  readonly content: (text: string) => string;
}

const same = (text: string): string => text;

export const NOTHING_REDACTED: Redaction = {
  section: same,
  field: (_name, value) => value,
  name: same,
  line: same,
  target: same,
  content: same,
};

/** A member with the number of elements that are not shown; none if the number is 0. */
export function leftOutView(name: string, count: number): View {
  return count > 0 ? { [`${name}_left_out`]: count } : {};
}

/** Milliseconds since the connection was opened, with three decimals. */
export function elapsed(time: number, openedAt: number): number {
  return Math.round((time - openedAt) * 1000) / 1000;
}
