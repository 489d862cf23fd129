import { fieldValue } from '../../http/fields.ts';
import { isInnerList, type Item, type List } from '../../http/structured-fields.ts';
import { itemField, listField, type FieldDeclaration } from './declaration.ts';
import {
  boolean,
  describeItem,
  expectNoParameters,
  readParameters,
  text,
  tokenOf,
  type Expected,
} from './expected.ts';
import { countText, quoted, type Notes } from './notes.ts';

const UA_CLIENT_HINTS = 'WICG User-Agent Client Hints 3';
const FETCH_METADATA = 'W3C Fetch Metadata 2';

/** Declares an item without parameters. */
function plainItem(name: string, reference: string, expected: Expected): FieldDeclaration {
  return itemField({
    name,
    reference,
    describe({ value, parameters }: Item, notes: Notes) {
      expectNoParameters(notes, name, parameters);
      describeItem(notes, 'The value', value, expected);
    },
  });
}

const string = (say: (value: string) => string): Expected => text(['string'], say);

/** Declares a list of brands with versions. */
function brands(name: string): FieldDeclaration {
  return listField({
    name,
    reference: UA_CLIENT_HINTS,
    describe(list: List, notes: Notes) {
      for (const member of list) {
        if (isInnerList(member) || member.value.type !== 'string') {
          notes.problem('Each brand has to be a string.');
          continue;
        }
        const brand = quoted(member.value.value);
        const said = readParameters(notes, brand, member.parameters, {
          v: string((version) => `version ${version}`),
        });
        notes.means(`The brand ${brand}, ${said.join() || 'without a version'}.`);
      }
    },
  });
}

const certificate: Expected = (item) =>
  item.type === 'bytes'
    ? { says: `A client certificate in DER, ${countText(item.value.length, 'byte')}.` }
    : { problem: `is of type ${item.type}, but has to be bytes` };

export const clientFields: readonly FieldDeclaration[] = [
  plainItem('Client-Cert', 'RFC 9440 2.2', certificate),
  listField({
    name: 'Client-Cert-Chain',
    reference: 'RFC 9440 2.3',
    describe(list, notes, { message: { fields } }) {
      for (const member of list) {
        if (isInnerList(member)) notes.problem('A member is an inner list.');
        else {
          expectNoParameters(notes, 'A certificate', member.parameters);
          describeItem(notes, 'A member', member.value, certificate);
        }
      }
      if (fieldValue(fields, 'client-cert') === undefined) {
        notes.problem('It belongs with Client-Cert, which is missing.');
      }
    },
  }),
  plainItem(
    'Capsule-Protocol',
    'RFC 9297 3.4',
    boolean(
      'The content uses the Capsule Protocol.',
      'The content does not use the Capsule Protocol.',
    ),
  ),
  brands('Sec-CH-UA'),
  brands('Sec-CH-UA-Full-Version-List'),
  plainItem(
    'Sec-CH-UA-Mobile',
    UA_CLIENT_HINTS,
    boolean('On a mobile device.', 'Not on a mobile device.'),
  ),
  plainItem(
    'Sec-CH-UA-Platform',
    UA_CLIENT_HINTS,
    string((name) => `On the platform ${name}.`),
  ),
  plainItem(
    'Sec-CH-UA-Platform-Version',
    UA_CLIENT_HINTS,
    string((v) => `Its version is ${v}.`),
  ),
  plainItem(
    'Sec-CH-UA-Arch',
    UA_CLIENT_HINTS,
    string((name) => `The architecture is ${name}.`),
  ),
  plainItem(
    'Sec-CH-UA-Bitness',
    UA_CLIENT_HINTS,
    string((bits) => `The bitness is ${bits}.`),
  ),
  plainItem(
    'Sec-CH-UA-Model',
    UA_CLIENT_HINTS,
    string((name) => `The model is ${name}.`),
  ),
  plainItem(
    'Sec-CH-UA-WoW64',
    UA_CLIENT_HINTS,
    boolean('A 32-bit program on 64-bit Windows.', 'Not a 32-bit program on 64-bit Windows.'),
  ),
  plainItem(
    'Sec-Fetch-Site',
    FETCH_METADATA,
    tokenOf({
      'cross-site': 'A page of another site made the request.',
      'same-origin': 'A page of the same origin made the request.',
      'same-site': 'A page of the same site, but of another origin, made the request.',
      none: 'The user made the request, not a page.',
    }),
  ),
  plainItem(
    'Sec-Fetch-Mode',
    FETCH_METADATA,
    tokenOf({
      cors: 'A request with CORS.',
      navigate: 'A navigation.',
      'no-cors': 'A request without CORS.',
      'same-origin': 'A request to the same origin only.',
      websocket: 'The handshake of a WebSocket.',
    }),
  ),
  plainItem(
    'Sec-Fetch-Dest',
    FETCH_METADATA,
    text(['token'], (name) => `For the destination ${name}.`),
  ),
  plainItem(
    'Sec-Fetch-User',
    FETCH_METADATA,
    boolean('The user started the navigation.', 'No user started the navigation.'),
  ),
];
