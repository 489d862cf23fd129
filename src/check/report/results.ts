import { element, scrolling, tableElement, type Element } from '../../pages/element.ts';
import type { Infer } from '../../server/schema.ts';
import { LEVELS, OUTCOMES, type Outcome } from '../check.ts';
import { escaped, escapedLine } from '../escaped.ts';
import { FRONTS, resultKey } from '../front.ts';
import { difference } from './difference.ts';
import { byImportance } from './importance.ts';
import type { checkSchema } from './json-schema.ts';
import { outcomesByTopic } from './outcomes.ts';
import { resultText } from '../words.ts';

/** Characters of `expected` and `found` in the line of a result. */
const MAX_WORDS = 200;

/** A result of this run, or of a report file that a user opens, whose texts may be anything. */
type ShownResult = Omit<Infer<typeof checkSchema>, 'duration_ms'>;

/** A run as it is shown. */
export interface ShownRun {
  readonly results: readonly ShownResult[];
  /** Keys of the findings that count. */
  readonly counted: ReadonlySet<string>;
  /** Keys of those that are also in the recorded report of the product. */
  readonly recorded: ReadonlySet<string>;
  /** Product and version of the recorded report. */
  readonly record: string;
}

/** Where in a page the results are shown. */
export interface Place {
  /** Heading level of result groups: 2 for `h2`. */
  readonly heading: number;
  /** Prefix of the fragment identifiers of results. */
  readonly fragment: string;
}

/** Elements of the results, with a filter bar that works when browser/result-filter.ts runs. */
export function resultElements(run: ShownRun, place: Place): Element[] {
  const { outcomes, rows } = outcomesByTopic(run.results);
  const table = { caption: 'Outcomes by topic', head: ['Topic', ...outcomes], rows };
  return [
    filterBar(run.results),
    element(
      'details',
      { class: 'topics' },
      element('summary', {}, table.caption),
      scrolling(table.caption, tableElement(table)),
    ),
    ...groupsOf(run).map((group) => groupElement(group, place)),
  ];
}

/** The bar is hidden until the script shows it, because it does nothing without the script. */
function filterBar(results: readonly ShownResult[]): Element {
  const select = (name: 'outcome' | 'level' | 'front', order: readonly string[]): Element => {
    const values = new Set<string>(results.map((result) => result[name]));
    const options = order
      .filter((value) => values.has(value))
      .map((value) => element('option', {}, value));
    const all = element('option', { value: '' }, `${name}: all`);
    return element('select', { name, 'aria-label': name }, all, ...options);
  };
  return element(
    'div',
    { class: 'bar filter', role: 'search', hidden: '' },
    select('outcome', OUTCOMES),
    select('level', LEVELS),
    select('front', FRONTS),
    element('input', { type: 'search', 'aria-label': 'words', placeholder: 'words' }),
    element('span', { role: 'status' }),
  );
}

/** Results under one heading. */
interface Group {
  readonly title: string;
  readonly results: readonly ShownResult[];
  /** Whether the list is open at first. Otherwise only the number of results shows. */
  readonly isOpen: boolean;
}

/** Outcomes after the findings, in the order in which they are shown. */
const OTHER_OUTCOMES: readonly Outcome[] = [
  'flaky',
  'error',
  'differs',
  'blocked',
  'not-applicable',
  'pass',
];

/** Groups of results: findings by level, those that count first; then the other outcomes in their order. */
function groupsOf({ results, record, counted, recorded }: ShownRun): Group[] {
  const withOutcome = (name: Outcome): ShownResult[] =>
    byImportance(results.filter(({ outcome }) => outcome === name));
  const failed = withOutcome('fail');
  const notes = ['', `, as recorded of ${record}`, ', not counted'] as const;
  const noteOf = (finding: ShownResult): string => {
    const key = resultKey(finding);
    if (!counted.has(key)) return notes[2];
    return recorded.has(key) ? notes[1] : notes[0];
  };
  const findings = notes.flatMap((note) =>
    LEVELS.map((level) => ({
      title: `Findings: ${level}${note}`,
      results: failed.filter((result) => result.level === level && noteOf(result) === note),
      isOpen: true,
    })),
  );
  const others = OTHER_OUTCOMES.map((name) => ({
    title: name,
    results: withOutcome(name),
    isOpen: name === 'flaky' || name === 'error',
  }));
  return [...findings, ...others].filter((group) => group.results.length > 0);
}

function groupElement({ title, results, isOpen }: Group, { heading, fragment }: Place): Element {
  return element(
    'details',
    { class: 'group', ...(isOpen && { open: '' }) },
    element('summary', {}, element(`h${heading}`, {}, title), ` ${results.length}`),
    ...results.map((result) => resultElement(result, { heading: heading + 1, fragment })),
  );
}

function resultElement(result: ShownResult, { heading, fragment }: Place): Element {
  const { outcome, id, front, level, risk, section, rule, evidence } = result;
  const key = fragment + escapedLine(`${front}/${id}`);
  const words = [front, level, risk].map(escapedLine).join(' · ');
  return element(
    'details',
    { id: key, class: outcome, 'data-outcome': outcome, 'data-level': level, 'data-front': front },
    element(
      'summary',
      {},
      element('b', {}, outcome),
      ' ',
      element('code', {}, escapedLine(id)),
      ' ',
      element('small', {}, words),
      ' ',
      element('span', {}, lineOf(result)),
    ),
    element(
      'p',
      {},
      `${escapedLine(rule)} (${escapedLine(section)}) `,
      element('a', { href: `#${encodeURI(key)}` }, 'Link to this result'),
    ),
    ...wordElements(result),
    ...evidence.flatMap((each) => evidenceElements(each, front, heading)),
  );
}

function evidenceElements(
  { sent, origin, received }: ShownResult['evidence'][number],
  front: string,
  heading: number,
): Element[] {
  const isBytes = front === 'http/1.1';
  const block = (label: string, text: string): Element[] => [
    element(`h${heading}`, {}, label),
    element('pre', { tabindex: '0', role: 'group', 'aria-label': label }, text),
  ];
  return [
    block('Sent', escaped(sent, isBytes)),
    origin === undefined ? [] : block('Received by the origin', escaped(origin)),
    block('Received', escaped(received, isBytes)),
  ].flat();
}

function lineOf(result: ShownResult): string {
  const { expected } = result;
  const words = expected === undefined ? '' : ` (expected: ${shortened(expected)})`;
  return `${shortened(resultText(result))}${words}`;
}

function shortened(text: string): string {
  const line = escapedLine(text);
  return line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS)}…`;
}

/** Expected and found, with their difference marked, and the reason if there is no verdict. */
function wordElements({ expected, found, reason }: ShownResult): Element[] {
  const [start, one, other, end] = difference(escaped(expected ?? ''), escaped(found ?? ''));
  const marked = (middle: string): Element['children'] =>
    middle === '' ? [start, end] : [start, element('mark', {}, middle), end];
  const isRule = expected !== undefined;
  return [
    ...(isRule ? [wordsElement('Expected: ', ...marked(one))] : []),
    ...(isRule && found !== undefined ? [wordsElement('Found: ', ...marked(other))] : []),
    ...(!isRule && found !== undefined ? [wordsElement('', escaped(found))] : []),
    ...(reason === undefined ? [] : [wordsElement('', escaped(reason))]),
  ];
}

const wordsElement = (label: string, ...words: Element['children']): Element =>
  element('p', {}, label, element('code', {}, ...words));
