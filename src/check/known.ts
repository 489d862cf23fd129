import { ANSWERS, type Answer } from './capability.ts';
import { FRONTS, resultKey } from './front.ts';
import type { Facts } from './probe.ts';
import { libraries } from './recorded-libraries.ts';
import { servers } from './recorded-servers.ts';
import type { Recorded, Records } from './recorded.ts';
import type { Result } from './result.ts';

/** What a recorded report of a product has. */
export interface ProductRecord {
  readonly product: string;
  /** The version of the recorded report. */
  readonly version: string;
  /** Keys of the recorded findings: front side and id. */
  readonly findings: ReadonlySet<string>;
  /** Answers by the ids of capabilities. */
  readonly capabilities: ReadonlyMap<string, Answer>;
  /** A later version, and the ids of checks that pass there and failed here. */
  readonly later?: { readonly version: string; readonly passes: ReadonlySet<string> } | undefined;
}

/** The product of a target. */
export interface Known extends ProductRecord {
  /** Whether Server or Via of the target named the product. */
  readonly isDetected: boolean;
  /** Other products that they name: the target is a chain of them. */
  readonly others: readonly ProductRecord[];
}

/** The name of a record without the protocol to the origin and the version: `haproxy` of `haproxy-h1-2.6`. */
const productOf = (name: string): string => name.replace(/(?:-h[12])?(?:-\d+\.[\d.]+)?$/, '');

/** The records in docs/proxies/, in the order of its page. */
const recorded: Records = { ...servers, ...libraries };

/** Products with a recorded report. */
export const PRODUCTS: readonly string[] = [...new Set(Object.keys(recorded).map(productOf))];

/** Value of --known: detect the product by Server or Via. */
export const DETECT = 'detect';

/**
 * The product of a target with its recorded report, and those of other products that Server and Via name.
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
  const named = PRODUCTS.filter((each) => words.includes(each)).toSorted(
    (one, other) => words.indexOf(one) - words.indexOf(other),
  );
  const [first, ...others] = (isDetected ? named : [choice]).flatMap(
    (product) => recordFor(product, said, origin) ?? [],
  );
  return first && { ...first, isDetected, others };
}

/**
 * The recorded report that fits the target best: with the same protocol to the origin, then of the same version, then
 * the newest.
 */
function recordFor(product: string, said: string, origin: string): ProductRecord | undefined {
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
  if (!nearest) return undefined;
  const findings = FRONTS.flatMap((front) =>
    wordsIn(`${nearest.findings.both} ${nearest.findings[front]}`).map((id) =>
      resultKey({ front, id }),
    ),
  );
  const answers = ANSWERS.flatMap((answer) =>
    wordsIn(nearest.capabilities[answer] ?? '').map((id) => [id, answer] as const),
  );
  return {
    product,
    version: nearest.version,
    findings: new Set(findings),
    capabilities: new Map(answers),
    later: nearest.later && {
      version: nearest.later.version,
      passes: new Set(wordsIn(nearest.later.passes)),
    },
  };
}

const wordsIn = (text: string): readonly string[] => text.match(/\S+/g) ?? [];

/** The name of a recorded report in reports. */
export const recordOf = ({
  product,
  version,
}: Pick<ProductRecord, 'product' | 'version'>): string => `${product} ${version}`;

/** The recorded reports of all products of the target. */
export const recordsOf = (known: Known | undefined): readonly ProductRecord[] =>
  known ? [known, ...known.others] : [];

/** The recorded reports that have this finding, too, by name; empty if none has. */
export function knownAs(finding: Result, known: Known | undefined): string {
  const key = resultKey(finding);
  return recordsOf(known)
    .filter(({ findings }) => findings.has(key))
    .map(recordOf)
    .join(' and ');
}

/** Whether a recorded report has this finding, too. */
export const isKnown = (finding: Result, known: Known | undefined): boolean =>
  knownAs(finding, known) !== '';

/** What the records say of a capability: the same or otherwise; undefined if there is nothing to say. */
export function recordedWords(
  { id, answer, isBad }: { readonly id: string; readonly answer: Answer; readonly isBad: boolean },
  known: Known | undefined,
): string | undefined {
  if (answer === 'not seen') return undefined;
  const parts = recordsOf(known).flatMap((record) => {
    const other = record.capabilities.get(id);
    if (other === undefined || (other === answer && !isBad)) return [];
    const name = recordOf(record);
    return other === answer ? [`as recorded of ${name}`] : [`recorded of ${name}: ${other}`];
  });
  return parts.length === 0 ? undefined : parts.join('; ');
}
