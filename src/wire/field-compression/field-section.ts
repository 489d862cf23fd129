/** How a field was sent (RFC 7541 6.1, 6.2.1, 6.2.2, 6.2.3; RFC 9204 4.5, which has no incremental indexing). */
export type Representation = 'indexed' | 'literal-indexed' | 'literal' | 'never-indexed';

/** One field as sent. */
export interface DecodedField {
  /** Name in Latin-1. */
  readonly name: string;
  /** Value in Latin-1. */
  readonly value: string;
  readonly representation: Representation;
  /** Index of the field or of its name; 0 if the name was sent as a string. */
  readonly index: number;
  readonly huffmanName: boolean;
  readonly huffmanValue: boolean;
  /** Offset from the start of the section. */
  readonly offset: number;
  /** Bytes of the representation. */
  readonly length: number;
}

/** A decoded field section: of HTTP/2, a field block (RFC 9113 4.3; RFC 9114 4.2). */
export interface FieldSection {
  /** Fields in order. With an error, those before it. */
  readonly fields: readonly DecodedField[];
  /** Number of fields that were decoded but not kept, because all together exceed the limit. */
  readonly leftOut: number;
  /** The size of all fields, as the limit that a side announces counts it (RFC 9113 6.5.2, RFC 9114 4.2.2). */
  readonly listSize: number;
  /** Encoded bytes of the section. */
  readonly length: number;
}
