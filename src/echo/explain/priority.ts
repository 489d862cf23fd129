import { isInnerList } from '../../http/structured-fields.ts';
import { dictionaryField, itemField, type FieldDeclaration } from './declaration.ts';
import { boolean, describeItem, expectNoParameters, integer, type Known } from './expected.ts';
import { quoted } from './notes.ts';

const URGENCY = 'Urgency';
const DEFAULT_URGENCY = `${URGENCY} 3, the default: 0 is the highest, 7 is for background tasks.`;
const NOT_INCREMENTAL =
  'The response can be used only once all of it has arrived, which is the default.';

const MEMBERS: Known = {
  u: integer(0, 7, (value) => `${URGENCY} ${value}: 0 is the highest, 7 is for background tasks.`),
  i: boolean('Each part of the response can be used as it arrives (incremental).', NOT_INCREMENTAL),
};

const INCREMENTAL = boolean(
  'Intermediaries should forward the content as it arrives, and not buffer it whole.',
  'Intermediaries may buffer the content whole, as by default.',
);

export const priorityFields: readonly FieldDeclaration[] = [
  dictionaryField({
    name: 'Priority',
    reference: 'RFC 9218 4',
    describe(members, notes) {
      const said = new Map<string, string>();
      for (const [key, member] of members) {
        const expected = Object.hasOwn(MEMBERS, key) ? MEMBERS[key] : undefined;
        const reading = isInnerList(member)
          ? { problem: 'is an inner list' }
          : expected?.(member.value);
        if (!expected || !reading) {
          notes.problem(`The parameter ${quoted(key)} is unknown, and ignored.`);
        } else if ('says' in reading) said.set(key, reading.says);
        else notes.problem(`${key} ${reading.problem}: it is ignored, and the default applies.`);
      }
      notes.means(said.get('u') ?? DEFAULT_URGENCY);
      notes.means(said.get('i') ?? NOT_INCREMENTAL);
    },
  }),
  itemField({
    name: 'Incremental',
    reference: 'RFC 10036 3',
    describe({ value, parameters }, notes) {
      expectNoParameters(notes, 'Incremental', parameters);
      describeItem(notes, 'The field is ignored: its value', value, INCREMENTAL);
    },
  }),
];
