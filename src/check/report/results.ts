import { element, type Element } from '../../pages/element.ts';
import type { Infer } from '../../server/schema.ts';
import { LEVELS, OUTCOMES, type Outcome } from '../check.ts';
import { escapeControls, escapeControlsInLine } from '../escape-controls.ts';
import { FRONTS, resultKey } from '../front.ts';
import { difference } from './difference.ts';
import { byImportance } from './importance.ts';
import type { checkSchema } from './json-schema.ts';
import { sectionElement } from './section-link.ts';
import { placeText, remedySentences } from './remedy-words.ts';
import { topicElement } from './topic-bars.ts';
import { resultText } from '../words.ts';
import { resultOfRow, rowsOf, type Row } from './rows.ts';

/** Characters of `expected` and `found` in the line of a result. */
const MAX_WORDS = 200;

/** A result of this run, or of a report file that a user opens, whose texts may be anything. */
type ShownResult = Omit<Infer<typeof checkSchema>, 'duration_ms'>;

/** A run as it is shown. */
export interface ShownRun {
  readonly results: readonly ShownResult[];
  /** Keys of the findings that count. */
  readonly counted: ReadonlySet<string>;
  /** Products and versions whose recorded reports have a finding, too, by its key. */
  readonly recorded: ReadonlyMap<string, string>;
}

/** Where in a page the results are shown. */
export interface Place {
  /** Heading level of result groups: 2 for `h2`. */
  readonly heading: number;
  /** Prefix of the fragment identifiers of results. */
  readonly fragment: string;
  /** Whether the topics are shown at first. */
  readonly hasTopics: boolean;
}

/** Elements of the results, with a filter bar that works when browser/result-filter.ts runs. */
export function resultElements(run: ShownRun, place: Place): Element[] {
  return [
    filterBar(run.results),
    ...groupsOf(run).map((group) => groupElement(group, place)),
    topicElement(run.results, place.hasTopics),
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
    element('input', {
      type: 'search',
      name: 'words',
      'aria-label': 'words',
      placeholder: 'words',
    }),
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
function groupsOf({ results, counted, recorded }: ShownRun): Group[] {
  const withOutcome = (name: Outcome): ShownResult[] =>
    byImportance(results.filter(({ outcome }) => outcome === name));
  const failed = withOutcome('fail');
  const noteOf = (finding: ShownResult): string => {
    const key = resultKey(finding);
    if (!counted.has(key)) return ', not counted';
    const record = recorded.get(key);
    return record === undefined ? '' : `, as recorded of ${record}`;
  };
  const notes = new Set(['', ...failed.map(noteOf).toSorted()]);
  const findings = Array.from(notes).flatMap((note) =>
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

function groupElement({ title, results, isOpen }: Group, place: Place): Element {
  const rows = rowsOf(results);
  return element(
    'details',
    { class: 'group', ...(isOpen && { open: '' }) },
    element('summary', {}, element(`h${place.heading}`, {}, title), ` ${rows.length}`),
    ...rows.map((row) => rowElement(row, place)),
  );
}

function rowElement(row: Row<ShownResult>, { heading, fragment }: Place): Element {
  const [, ...others] = row;
  const result = resultOfRow(row);
  const { outcome, id, level, risk, section, rule } = result;
  const keyOf = ({ front }: ShownResult): string =>
    fragment + escapeControlsInLine(`${front}/${id}`);
  const fronts = row.map(({ front }) => front);
  const words = [fronts.join(', '), level, risk].map(escapeControlsInLine).join(' · ');
  const data = { 'data-outcome': outcome, 'data-level': level, 'data-front': fronts.join(' ') };
  return element(
    'details',
    { id: keyOf(result), class: outcome, ...data },
    element(
      'summary',
      {},
      ...others.map((other) => element('span', { id: keyOf(other), class: 'anchor' })),
      element('b', {}, outcome),
      ' ',
      element('code', {}, escapeControlsInLine(id)),
      ' ',
      element('small', {}, words),
      ' ',
      element('span', {}, lineOf(result)),
    ),
    element(
      'p',
      {},
      `${escapeControlsInLine(rule)} (`,
      sectionElement(section),
      ') ',
      ...row.flatMap((each, at) => [
        at === 0 ? '' : ', ',
        element('a', { href: `#${encodeURI(keyOf(each))}` }, linkText(each, row)),
      ]),
    ),
    ...wordElements(result),
    ...remedyElements(result),
    ...row.flatMap((each) =>
      each.evidence.flatMap((one) => evidenceElements(one, each, row, heading + 1)),
    ),
  );
}

/** Names the protocol in a text about one of several results. */
const onFront = (text: string, { front }: ShownResult, row: Row<ShownResult>): string =>
  row.length === 1 ? text : `${text} on ${escapeControlsInLine(front)}`;

const linkText = (result: ShownResult, row: Row<ShownResult>): string =>
  onFront('Link to this result', result, row);

function evidenceElements(
  { sent, origin, received, meaning = [] }: ShownResult['evidence'][number],
  result: ShownResult,
  row: Row<ShownResult>,
  heading: number,
): Element[] {
  const isBytes = result.front === 'http/1.1';
  const block = (label: string, text: string): Element[] => {
    const name = onFront(label, result, row);
    return [
      element(`h${heading}`, {}, name),
      element('pre', { tabindex: '0', role: 'group', 'aria-label': name }, text),
    ];
  };
  return [
    block('Sent', escapeControls(sent, isBytes)),
    origin === undefined ? [] : block('Received by the origin', escapeControls(origin)),
    block('Received', escapeControls(received, isBytes)),
    meaning.length === 0 ? [] : block('Meaning', escapeControls(meaning.join('\n'), false)),
  ].flat();
}

function lineOf(result: ShownResult): string {
  const { expected } = result;
  const words = expected === undefined ? '' : ` (expected: ${shortened(expected)})`;
  return `${shortened(resultText(result))}${words}`;
}

function shortened(text: string): string {
  const line = escapeControlsInLine(text);
  return line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS)}…`;
}

/** Expected and found, with their difference marked, and the reason if there is no verdict. */
function wordElements({ expected, found, reason }: ShownResult): Element[] {
  const [start, one, other, end] = difference(
    escapeControls(expected ?? ''),
    escapeControls(found ?? ''),
  );
  const marked = (middle: string): Element['children'] =>
    middle === '' ? [start, end] : [start, element('mark', {}, middle), end];
  const isRule = expected !== undefined;
  return [
    ...(isRule ? [wordsElement('Expected: ', ...marked(one))] : []),
    ...(isRule && found !== undefined ? [wordsElement('Found: ', ...marked(other))] : []),
    ...(!isRule && found !== undefined ? [wordsElement('', escapeControls(found))] : []),
    ...(reason === undefined ? [] : [wordsElement('', escapeControls(reason))]),
  ];
}

/** What to do about it: the sentence, then the lines for the configuration by where they go. */
function remedyElements({ remedy }: ShownResult): Element[] {
  if (!remedy) return [];
  const sentences = remedySentences(remedy).map(escapeControlsInLine);
  return [
    element('p', {}, element('b', {}, 'What to do: '), sentences.join(' ')),
    ...remedy.directives.flatMap((each) => [
      element('p', {}, escapeControlsInLine(placeText(each))),
      element('pre', {}, escapeControls(each.lines.join('\n'))),
    ]),
  ];
}

const wordsElement = (label: string, ...words: Element['children']): Element =>
  element('p', {}, label, element('code', {}, ...words));
