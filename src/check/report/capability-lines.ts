import type { Infer } from '../../server/schema.ts';
import { element, scrolling, tableElement, type Element } from '../../pages/element.ts';
import type { Answer } from '../capability.ts';
import { escapeControlsInLine } from '../escape-controls.ts';
import type { capabilitySchema } from './json-schema.ts';

/** A capability as reports have it. */
export type ShownCapability = Infer<typeof capabilitySchema>;

/** The words of an answer, and what the record of the product has. */
const wordsOf = ({ words, recorded }: ShownCapability): string =>
  [escapeControlsInLine(words), recorded === undefined ? '' : `(${escapeControlsInLine(recorded)})`]
    .filter(Boolean)
    .join(' ');

/** The answer and its words as one text. */
export const capabilityText = (capability: ShownCapability): string =>
  [capability.answer, wordsOf(capability)].filter(Boolean).join(': ');

/** Characters of a line, unless a word has more. */
const WIDTH = 100;
/** Characters that words have at least, also on a narrow terminal. */
const LEAST = 20;

/**
 * A line for each capability, whose words go on below themselves. Those that are not seen come last, by their reasons.
 *
 * @param style colors an answer
 * @param columns of a terminal: the words of what is seen are cut to one line; undefined does not cut
 */
export function capabilityLines(
  capabilities: readonly ShownCapability[],
  style: (answer: Answer, text: string) => string,
  columns?: number,
): string[] {
  const unseen = new Map<string, string[]>();
  const seen = capabilities.filter(({ answer, words, name }) => {
    if (answer !== 'not seen') return true;
    unseen.set(words, [...(unseen.get(words) ?? []), name]);
    return false;
  });
  const rows = [
    ...seen.map((each) => [each.name, each.answer, wordsOf(each)] as const),
    ...Array.from(unseen, ([reason, names]) => {
      const about = `${names.join('; ')} (${escapeControlsInLine(reason)})`;
      return ['', 'not seen', about] as const;
    }),
  ];
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const answerWidth = Math.max(...rows.map(([, answer]) => answer.length));
  const indent = nameWidth + answerWidth + 4;
  return rows.flatMap(([name, answer, words]) => {
    const shown = `${name.padEnd(nameWidth)}  ${style(answer, answer.padEnd(answerWidth))}  `;
    const width = Math.max(Math.min(WIDTH, columns ?? WIDTH) - indent, LEAST);
    const isCut = columns !== undefined && answer !== 'not seen' && words.length > width;
    const all = isCut ? [`${words.slice(0, width - 1)}…`] : wrapped(words, width);
    return all.map((line, at) => ((at === 0 ? shown : ' '.repeat(indent)) + line).trimEnd());
  });
}

/** The text in lines of at most so many characters, unless a word has more. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const LOOKS: Readonly<Record<Answer, string>> = {
  yes: 'yes',
  no: 'no',
  partly: 'partly',
  'not seen': 'unseen-answer',
};

/** The capabilities as a table. */
export function capabilityElements(capabilities: readonly ShownCapability[]): Element[] {
  if (capabilities.length === 0) return [];
  const caption = 'What the target does';
  const rows = capabilities.map((each) => [
    each.name,
    element('b', { class: LOOKS[each.answer] }, each.answer),
    wordsOf(each),
  ]);
  const table = tableElement({ caption, head: ['Capability', 'Answer', 'As seen'], rows });
  return [element('div', { class: 'capabilities' }, scrolling(caption, table))];
}
