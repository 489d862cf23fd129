import { randomUUID } from 'node:crypto';
import { readMessageContent, type MessageContent } from '../http/content.ts';
import { fieldValue } from '../http/fields.ts';
import { pullBytes, repeatable, sequence, type Repeatable } from '../server/payload.ts';
import { LARGE_CONTENT } from '../server/request-cost.ts';
import type { Request } from '../server/request.ts';
import { escapedContent, escapesOf, JSON_ESCAPES, MARKUP_IN_JSON } from '../server/safety.ts';
import { echoText, type Explanation } from './echo-text.ts';
import { jsonMembers } from './json-text.ts';

const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
/** What JSON.stringify() escapes in UTF-8 text (RFC 8259 7). */
const IN_STRING = Object.fromEntries(
  [...CONTROLS, '"', '\\'].map((character) => [character, JSON.stringify(character).slice(1, -1)]),
);
const STRING = escapesOf(IN_STRING);
const STRING_WITH_MARKUP = escapesOf({ ...IN_STRING, ...MARKUP_IN_JSON });

/** Each stands for a long string in text, or for `json`, with a number, since names differ. No client knows it. */
const MARK = randomUUID();
const ANY_MARK = new RegExp(String.raw`${MARK}\.\d+\.`);

/**
 * The echo of large content, as `echoText()` makes it. Its long strings are escaped while they are sent: 2 MiB of NUL,
 * in `body` and in `data`, are 24 MiB.
 *
 * @param escapesMarkup whether `<`, `>` and `&` are escaped, too
 * @param explanation as in `echoText()`
 */
export function echoPieces(
  request: Request,
  content: Buffer,
  escapesMarkup = false,
  explanation?: Explanation,
): Repeatable {
  const read = readMessageContent(content, fieldValue(request.fields, 'content-type'));
  const { marked, long } = withMarks(read);
  const { json, ...others } = marked;
  // `json` has a mark of its own, the last one: no others are in its indentation, which may have 8 MiB (`parseJson()`).
  const members = `${jsonMembers(others)},\n${MARK}.${long.length}.`;
  const [first = '', ...texts] = echoText(request, content, members, explanation).split(ANY_MARK);
  const parts: Repeatable[] = [];
  let held = 0;
  const addText = (text: string): void => {
    const bytes = Buffer.from(text);
    parts.push(escapesMarkup ? escapedContent(bytes, JSON_ESCAPES) : pullBytes(bytes));
    held += bytes.length;
  };
  addText(first);
  const escaped = new Map<string, Repeatable>();
  for (const [at, text] of texts.entries()) {
    const value = long[at];
    if (value === undefined) addText(jsonMembers({ json }));
    else {
      let string = escaped.get(value);
      if (!string) {
        const bytes =
          read.body_encoding === 'utf8' && value === read.body ? content : Buffer.from(value);
        string = escapedContent(bytes, escapesMarkup ? STRING_WITH_MARKUP : STRING);
        escaped.set(value, string);
        held += bytes.length;
      }
      parts.push(string);
    }
    addText(text);
  }
  const makes = parts.map((part) => part.fix());
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return repeatable(() => ({ ...sequence(makes.map((make) => make()).values(), length), held }));
}

type Grouped = MessageContent['form'];

interface Marked {
  readonly marked: MessageContent;
  /** The strings that marks stand for, in order. */
  readonly long: readonly string[];
}

function withMarks({ body, body_encoding, data, form, files, json }: MessageContent): Marked {
  const long: string[] = [];
  const marked = (text: string): string => (isLong(text) ? `${MARK}.${long.push(text)}.` : text);
  const markedGroups = (groups: Grouped): Grouped => {
    if (!hasLong(groups)) return groups;
    const pairs = Object.entries(groups).map(([name, values]): [string, string | string[]] => [
      marked(name),
      typeof values === 'string' ? marked(values) : values.map(marked),
    ]);
    return Object.fromEntries(pairs);
  };
  return {
    // In the order of the text.
    marked: {
      body: marked(body),
      body_encoding,
      data: marked(data),
      form: markedGroups(form),
      files: markedGroups(files),
      json,
    },
    long,
  };
}

function hasLong(groups: Grouped): boolean {
  for (const name in groups) {
    const values = groups[name] ?? '';
    if (isLong(name) || (typeof values === 'string' ? isLong(values) : values.some(isLong))) {
      return true;
    }
  }
  return false;
}

function isLong(text: string): boolean {
  return text.length > LARGE_CONTENT;
}
