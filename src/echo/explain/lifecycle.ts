import { parseHttpDate } from '../../http/date.ts';
import { fieldValue } from '../../http/fields.ts';
import { parseItem } from '../../http/structured-fields.ts';
import { itemField, type FieldDeclaration } from './declaration.ts';
import { expectNoParameters } from './expected.ts';
import { distanceText, timeText } from './notes.ts';

const deprecation = itemField({
  name: 'Deprecation',
  reference: 'RFC 9745 2',
  isOfResponses: true,
  describe({ value, parameters }, notes, { now }) {
    expectNoParameters(notes, 'Deprecation', parameters);
    if (value.type !== 'date') {
      notes.problem(
        `The value is of type ${value.type}, but has to be a date such as @1688169599.`,
      );
      return;
    }
    const distance = value.value - now;
    const verb = distance > 0 ? 'will be' : 'was';
    notes.means(
      `The resource ${verb} deprecated on ${timeText(value.value)}, ${distanceText(distance)}.`,
    );
  },
});

/** An HTTP-date: Sunset is older than structured fields. */
const sunset: FieldDeclaration = {
  name: 'Sunset',
  type: 'http-date',
  reference: 'RFC 8594 3',
  isOfResponses: true,
  explain(text, notes, { now, message: { fields } }) {
    const milliseconds = parseHttpDate(text);
    if (milliseconds === undefined) return undefined;
    const seconds = milliseconds / 1000;
    const distance = seconds - now;
    const how = distance > 0 ? 'is expected to be gone' : 'was expected to be gone';
    notes.means(`The resource ${how} at ${timeText(seconds)}, ${distanceText(distance)}.`);
    const deprecated = parseItem(fieldValue(fields, 'deprecation') ?? '')?.value;
    if (deprecated?.type === 'date' && deprecated.value > seconds) {
      notes.problem('It is earlier than the date of Deprecation (RFC 9745 4).');
    }
    return text;
  },
};

export const lifecycleFields: readonly FieldDeclaration[] = [deprecation, sunset];
