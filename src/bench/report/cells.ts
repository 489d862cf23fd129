/** A table of texts. */
export interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether a column has numbers. */
  readonly isNumeric: (column: number) => boolean;
}

export const count = (value: number): string => Math.round(value).toLocaleString('en');

/** Two digits after the point, as of milliseconds; empty if there is no value. */
export const decimal = (value: number | null | undefined): string =>
  typeof value === 'number' ? fixed(value, 2) : '';

/** So many digits after the point, and no sign if all are 0. */
export const fixed = (value: number, digits: number): string =>
  value.toFixed(digits).replace(/^-(?=[0.]+$)/, '');
