import { acceptsCoding } from '../../http/codings.ts';
import { fieldValue } from '../../http/fields.ts';
import { isInnerList } from '../../http/structured-fields.ts';
import { dictionaryField, itemField, type FieldDeclaration } from './declaration.ts';
import { expectNoParameters } from './expected.ts';
import { quoted } from './notes.ts';

const SHA_256_BYTES = 32;
/** Maximum characters of an identifier (RFC 9842 2.1.3). */
const MAX_ID = 1024;

export const dictionaryFields: readonly FieldDeclaration[] = [
  itemField({
    name: 'Available-Dictionary',
    reference: 'RFC 9842 2.2',
    describe({ value, parameters }, notes, { message: { fields } }) {
      expectNoParameters(notes, 'Available-Dictionary', parameters);
      if (value.type !== 'bytes') {
        notes.problem(`The value is of type ${value.type}, but has to be bytes.`);
        return;
      }
      const hash = Buffer.from(value.value).toString('hex');
      notes.means(`The client has the compression dictionary whose SHA-256 is ${quoted(hash)}.`);
      if (value.value.length !== SHA_256_BYTES) {
        notes.problem(
          `A SHA-256 has ${SHA_256_BYTES} bytes, but this one has ${value.value.length}.`,
        );
      }
      const accepted = fieldValue(fields, 'accept-encoding');
      if (!acceptsCoding(accepted, 'dcb') && !acceptsCoding(accepted, 'dcz')) {
        notes.problem(
          'Accept-Encoding allows neither dcb nor dcz: no response can use it (RFC 9842 6).',
        );
      }
    },
  }),
  itemField({
    name: 'Dictionary-ID',
    reference: 'RFC 9842 2.3',
    describe({ value, parameters }, notes, { message: { fields } }) {
      expectNoParameters(notes, 'Dictionary-ID', parameters);
      if (value.type !== 'string') {
        notes.problem(`The value is of type ${value.type}, but has to be a string.`);
        return;
      }
      notes.means(`The server gave the dictionary the identifier ${quoted(value.value)}.`);
      if (value.value.length > MAX_ID) notes.problem(`It has more than ${MAX_ID} characters.`);
      if (fieldValue(fields, 'available-dictionary') === undefined) {
        notes.problem('It belongs with Available-Dictionary, which is missing.');
      }
    },
  }),
  dictionaryField({
    name: 'Use-As-Dictionary',
    reference: 'RFC 9842 2.1',
    isOfResponses: true,
    describe(members, notes) {
      for (const [key, member] of members) {
        if (key === 'match-dest' && isInnerList(member)) {
          const all = member.items.map(({ value }) => quoted(String(value.value)));
          const which =
            all.length === 0 ? 'any destination' : `the destination ${all.join(' or ')}`;
          notes.means(`For requests with ${which}.`);
        } else if (isInnerList(member)) notes.problem(`${quoted(key)} is an inner list.`);
        else if (key === 'match' && member.value.type === 'string') {
          notes.means(`The response is a dictionary for URLs like ${quoted(member.value.value)}.`);
        } else if (key === 'id' && member.value.type === 'string') {
          notes.means(`Its identifier is ${quoted(member.value.value)}.`);
        } else if (key === 'type' && member.value.type === 'token') {
          notes.means(`Its format is ${quoted(member.value.value)}.`);
          if (member.value.value !== 'raw')
            notes.problem('Clients ignore it: the only format is raw.');
        } else notes.problem(`${quoted(key)} is unknown, or has a value of the wrong type.`);
      }
      if (!members.has('match')) notes.problem('`match` is required.');
    },
  }),
];
