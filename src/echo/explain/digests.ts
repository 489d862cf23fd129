import { isInnerList, type Dictionary } from '../../http/structured-fields.ts';
import { dictionaryField, type Context, type FieldDeclaration } from './declaration.ts';
import { expectNoParameters, integer } from './expected.ts';
import { quoted, type Notes } from './notes.ts';

/** Algorithms with the status Active (RFC 9530 5), and the bytes of their digests. */
const ACTIVE: Readonly<Record<string, number>> = { 'sha-512': 64, 'sha-256': 32 };
const DEPRECATED = new Set(['md5', 'sha', 'unixsum', 'unixcksum', 'adler', 'crc32c']);

function checkAlgorithm(name: string, notes: Notes): void {
  if (DEPRECATED.has(name)) {
    notes.problem(`${quoted(name)} is deprecated: it does not protect against deliberate changes.`);
  } else if (!Object.hasOwn(ACTIVE, name)) notes.problem(`${quoted(name)} is not registered.`);
}

function describeDigests(
  members: Dictionary,
  notes: Notes,
  { digests, section }: Context,
  field: 'content-digest' | 'repr-digest',
): void {
  const ofField = digests.filter((each) => each.field === field && each.section === section);
  const isIgnored = ofField.some((each) => each.algorithm === null);
  for (const [algorithm, member] of members) {
    checkAlgorithm(algorithm, notes);
    expectNoParameters(notes, quoted(algorithm), member.parameters);
    if (isInnerList(member) || member.value.type !== 'bytes') {
      notes.problem(`${quoted(algorithm)} has to be bytes: the field is ignored.`);
      continue;
    }
    const { length } = member.value.value;
    const expected = Object.hasOwn(ACTIVE, algorithm) ? ACTIVE[algorithm] : undefined;
    if (expected !== undefined && expected !== length) {
      notes.problem(
        `A digest of ${quoted(algorithm)} has ${expected} bytes, but this one has ${length}.`,
      );
    }
    const check = ofField.find((each) => each.algorithm === algorithm);
    if (check?.match === true)
      notes.means(`The content matches the digest of ${quoted(algorithm)}.`);
    else if (check?.match === false) {
      notes.means(`The content does not match the digest of ${quoted(algorithm)}.`);
      notes.problem(`${quoted(algorithm)} of the content is :${check.actual ?? ''}:.`);
    } else {
      const other = isIgnored ? 'the field is ignored' : 'there are too many digests';
      const reason = check?.reason ?? other;
      notes.means(`The digest of ${quoted(algorithm)} was not checked: ${reason}.`);
    }
  }
}

function describeWanted(members: Dictionary, notes: Notes): void {
  const weight = integer(0, 10, (value) =>
    value === 0 ? 'not acceptable' : `preference ${value} of 10`,
  );
  for (const [algorithm, member] of members) {
    checkAlgorithm(algorithm, notes);
    expectNoParameters(notes, quoted(algorithm), member.parameters);
    const reading = isInnerList(member) ? { problem: 'is an inner list' } : weight(member.value);
    if ('says' in reading) notes.means(`${quoted(algorithm)}: ${reading.says}.`);
    else notes.problem(`${quoted(algorithm)} ${reading.problem}.`);
  }
}

export const digestFields: readonly FieldDeclaration[] = [
  dictionaryField({
    name: 'Content-Digest',
    reference: 'RFC 9530 2',
    describe: (members, notes, context) =>
      describeDigests(members, notes, context, 'content-digest'),
  }),
  dictionaryField({
    name: 'Repr-Digest',
    reference: 'RFC 9530 3',
    describe: (members, notes, context) => describeDigests(members, notes, context, 'repr-digest'),
  }),
  dictionaryField({
    name: 'Want-Content-Digest',
    reference: 'RFC 9530 4',
    describe: describeWanted,
  }),
  dictionaryField({ name: 'Want-Repr-Digest', reference: 'RFC 9530 4', describe: describeWanted }),
];
