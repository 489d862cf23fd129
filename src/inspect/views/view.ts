import type { Sender } from '../protocol-reader.ts';

/** Plain data for JSON. */
export type View = Readonly<Record<string, unknown>>;

/** What of a message may be shown. */
export interface Redaction {
  /** Which TLS records carried some bytes of a direction; default: not shown. */
  readonly records?: (from: Sender, offset: number, bytes: number) => View;
  /** Bytes that the shown fields of an HTTP/2 field block may take, about; default: no limit. */
  readonly maxFieldsSize?: number;
  /** A header or trailer section as sent, in latin1. */
  readonly section: (text: string) => string;
  readonly field: (name: string, value: string) => string;
  /** What stands in place of a field name. */
  name(name: string): string;
  /** A part of a start line or chunk line. */
  line(text: string): string;
  /** A request target. */
  readonly target: (target: string) => string;
  /** Bytes that are neither fields nor a target, in latin1. */
  readonly content: (text: string) => string;
}

const same = (text: string): string => text;

/** Shows everything. */
export const NOTHING_REDACTED: Redaction = {
  section: same,
  field: (_name, value) => value,
  name: same,
  line: same,
  target: same,
  content: same,
};

/** Counts what is not shown of a member, if there is any. */
export function leftOutView(name: string, count: number): View {
  return count > 0 ? { [`${name}_left_out`]: count } : {};
}

/** Milliseconds from the opening of the connection, to the microsecond. */
export function elapsed(time: number, openedAt: number): number {
  return Math.round((time - openedAt) * 1000) / 1000;
}
