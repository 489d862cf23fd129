import { FRONTS, resultKey } from './front.ts';
import type { Facts } from './probe.ts';
import { recorded, type Recorded } from './recorded-findings.ts';
import type { Result } from './result.ts';

/** A product with a recorded report. */
export interface Known {
  readonly product: string;
  /** The version of the recorded report. */
  readonly version: string;
  /** Whether Server or Via of the target named the product. */
  readonly isDetected: boolean;
  /** Keys of the recorded findings: front side and id. */
  readonly findings: ReadonlySet<string>;
}

const productOf = (name: string): string => name.split('-')[0] ?? name;

/** Products with a recorded report. */
export const PRODUCTS: readonly string[] = [...new Set(Object.keys(recorded).map(productOf))];

/** Value of --known: detect the product by Server or Via. */
export const DETECT = 'detect';

/**
 * The recorded report that fits the target best: with the same protocol to the origin, then of the same version, then
 * the newest.
 *
 * @param choice a product, or DETECT; anything else selects none
 * @param origin the protocol of the connections to the origin
 */
export function knownProduct(
  choice: string,
  { server = '', via = '' }: Pick<Facts, 'server' | 'via'>,
  origin: string,
): Known | undefined {
  const said = `${server} ${via}`.toLowerCase();
  const isDetected = choice === DETECT;
  const words = said.split(/[^a-z\d-]/);
  const product = isDetected ? PRODUCTS.find((each) => words.includes(each)) : choice;
  const version = said.split(`${product}/`)[1]?.split(/[^\d.]/)[0];
  const nearness = (record: Recorded): number =>
    2 * Number(record.origin === origin) + Number(record.version === version);
  const [nearest] = Object.entries(recorded)
    .filter(([name]) => productOf(name) === product)
    .map(([, record]) => record)
    .toSorted(
      (one, other) =>
        nearness(other) - nearness(one) ||
        other.version.localeCompare(one.version, 'en', { numeric: true }),
    );
  if (!nearest || product === undefined) return undefined;
  const findings = FRONTS.flatMap((front) => {
    const ids = `${nearest.findings.both} ${nearest.findings[front]}`.match(/\S+/g) ?? [];
    return ids.map((id) => resultKey({ front, id }));
  });
  return { product, version: nearest.version, isDetected, findings: new Set(findings) };
}

/** Whether the recorded report has this finding, too. */
export function isKnown(finding: Result, known: Known | undefined): boolean {
  return known?.findings.has(resultKey(finding)) ?? false;
}
