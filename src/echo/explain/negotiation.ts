import { isInnerList } from '../../http/structured-fields.ts';
import { listField, type FieldDeclaration } from './declaration.ts';
import { quoted } from './notes.ts';

export const acceptQuery: FieldDeclaration = listField({
  name: 'Accept-Query',
  reference: 'RFC 10008 3',
  isOfResponses: true,
  describe(list, notes) {
    for (const member of list) {
      if (
        !isInnerList(member) &&
        (member.value.type === 'string' || member.value.type === 'token')
      ) {
        const range = member.value.value;
        notes.means(`The resource accepts QUERY with content of the type ${quoted(range)}.`);
        if (!range.includes('/')) notes.problem(`${quoted(range)} is not a media range.`);
      } else notes.problem('Each media range has to be a string or a token.');
    }
  },
});
