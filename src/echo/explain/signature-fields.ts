import { itemJson } from '../../http/structured-field-json.ts';
import {
  isInnerList,
  parseItem,
  serializeMember,
  type Dictionary,
  type Item,
} from '../../http/structured-fields.ts';
import { fieldValue } from '../../http/fields.ts';
import { parseDictionary } from '../../http/structured-fields.ts';
import { EXPLAIN_BOUNDS } from './bounds.ts';
import { dictionaryField, type Context, type FieldDeclaration } from './declaration.ts';
import { boolean, expectNoParameters, readParameters, text, tokenOf } from './expected.ts';
import { countText, quoted, type Notes } from './notes.ts';

/** Reports labels that another field does not have. */
function checkLabels(
  members: Dictionary,
  notes: Notes,
  { message, section }: Context,
  other: string,
): void {
  const lines = section === 'header' ? message.fields : message.trailers;
  const others = parseDictionary(fieldValue(lines, other.toLowerCase()) ?? '');
  for (const label of members.keys()) {
    if (!others?.has(label)) notes.problem(`${other} has no signature ${quoted(label)}.`);
  }
}

/** Notes how many signatures are left out. */
function checkCount(members: Dictionary, notes: Notes): void {
  const { signatures } = EXPLAIN_BOUNDS;
  const leftOut = [...members.values()].filter(isInnerList).length - signatures;
  if (leftOut <= 0) return;
  const verb = leftOut === 1 ? 'is' : 'are';
  notes.problem(
    `Only the first ${signatures} signatures are verified: ${leftOut} more ${verb} not shown.`,
  );
}

const signatureInput = dictionaryField({
  name: 'Signature-Input',
  reference: 'RFC 9421 4.1',
  describe(members, notes, context) {
    if (context.section === 'trailer') notes.problem('Signatures in trailers are not verified.');
    else checkCount(members, notes);
    for (const [label, member] of members) {
      if (!isInnerList(member)) {
        notes.problem(`${quoted(label)} has to be an inner list of the covered components.`);
        continue;
      }
      const components = countText(member.items.length, 'component');
      notes.means(`The signature ${quoted(label)} covers ${components} of the request.`);
    }
    checkLabels(members, notes, context, 'Signature');
  },
});

const signature = dictionaryField({
  name: 'Signature',
  reference: 'RFC 9421 4.2',
  describe(members, notes, context) {
    for (const [label, member] of members) {
      if (isInnerList(member) || member.value.type !== 'bytes') {
        notes.problem(`The signature ${quoted(label)} has to be bytes.`);
        continue;
      }
      expectNoParameters(notes, quoted(label), member.parameters);
      const size = countText(member.value.value.length, 'byte');
      notes.means(`The signature ${quoted(label)} has ${size}.`);
    }
    checkLabels(members, notes, context, 'Signature-Input');
  },
});

const string = (what: string) => text(['string'], (value) => `${what} ${value}`);
const wanted = (what: string) => boolean(what, `not ${what}`);

const acceptSignature = dictionaryField({
  name: 'Accept-Signature',
  reference: 'RFC 9421 5.1',
  describe(members, notes) {
    for (const [label, member] of members) {
      if (!isInnerList(member)) {
        notes.problem(`${quoted(label)} has to be an inner list of components.`);
        continue;
      }
      const covered = member.items.map(serializeMember).join(' ') || 'no component';
      const said = readParameters(notes, quoted(label), member.parameters, {
        created: wanted('with its creation time'),
        expires: wanted('with its expiration time'),
        nonce: string('with the nonce'),
        alg: string('with the algorithm'),
        keyid: string('with the key'),
        tag: string('with the tag'),
      });
      notes.means(
        [`A signature ${quoted(label)} that covers ${covered} is requested`, ...said]
          .join(', ')
          .concat('.'),
      );
    }
  },
});

const DIRECTORY = 'a directory at its well-known URI';

/** How a URI leads to keys (draft-ietf-webbotauth-httpsig-protocol 5.5). */
const TYPE = tokenOf({
  directory: DIRECTORY,
  jwks_uri: 'a JSON Web Key Set at this URI',
  cimd: 'a Client ID Metadata Document at this URI',
});

function describeAgent(name: string, { value, parameters }: Item, notes: Notes): void {
  if (value.type !== 'string') {
    notes.problem(`${name} is of type ${value.type}, but has to be a string.`);
    return;
  }
  const said = readParameters(notes, name, parameters, { type: TYPE });
  notes.means(
    `${name} names ${quoted(value.value)} as the source of the keys: ${said[0] ?? DIRECTORY}.`,
  );
  const isOfDirectory = (parameters.get('type')?.value ?? 'directory') === 'directory';
  if (!/^https:\/\/[^/]/i.test(value.value)) {
    notes.problem(`${name} has to be a URI with the scheme https.`);
  } else if (isOfDirectory && !/^https:\/\/[^/?#]+\/?$/i.test(value.value)) {
    notes.problem(`${name} has to be an origin without a path, or have another type.`);
  }
}

const AGENT = dictionaryField({
  name: 'Signature-Agent',
  reference: 'draft-ietf-webbotauth-httpsig-protocol-00 5.2.1',
  describe(members, notes) {
    for (const [label, member] of members) {
      if (isInnerList(member)) notes.problem(`${quoted(label)} has to be a string.`);
      else describeAgent(quoted(label), member, notes);
    }
  },
});

/** Earlier drafts had a string. A dictionary never begins with a quotation mark. */
const signatureAgent: FieldDeclaration = {
  ...AGENT,
  explain(value, notes, context) {
    if (!value.startsWith('"')) return AGENT.explain(value, notes, context);
    const item = parseItem(value);
    if (!item) return undefined;
    describeAgent('It', item, notes);
    notes.problem('It is a string, as in earlier drafts: signers have to send a dictionary.');
    return itemJson(item);
  },
};

export const signatureFields: readonly FieldDeclaration[] = [
  signatureInput,
  signature,
  acceptSignature,
  signatureAgent,
];
