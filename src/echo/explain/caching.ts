import { isInnerList, type List, type Member } from '../../http/structured-fields.ts';
import { listField, type FieldDeclaration } from './declaration.ts';
import {
  boolean,
  expectNoParameters,
  integer,
  readParameters,
  text,
  tokenOf,
  type Known,
} from './expected.ts';
import { countText, quoted, type Notes } from './notes.ts';

/** Number of groups, and of characters of a group, that every cache supports (RFC 9875 2, 3). */
const SUPPORTED = 32;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Why a cache has forwarded a request (RFC 9211 2.2). */
const FORWARDED = tokenOf({
  bypass: 'forwarded, because the cache was configured not to handle it',
  method: 'forwarded, because the method requires it',
  'uri-miss': 'forwarded, because nothing was stored for its URI',
  'vary-miss': 'forwarded, because no response stored for its URI matched by Vary',
  miss: 'forwarded, because nothing stored could be used',
  request: 'forwarded, because the request did not allow the fresh response that was stored',
  stale: 'forwarded, because the stored response was stale',
  partial: 'forwarded, because the stored response was not complete',
});

const CACHE_PARAMETERS: Known = {
  hit: boolean('answered from the cache', 'not answered from the cache'),
  fwd: FORWARDED,
  'fwd-status': integer(100, 599, (status) => `the next hop answered ${status}`),
  ttl: integer(-999_999_999_999_999, 999_999_999_999_999, (seconds) =>
    seconds < 0
      ? `stale for ${countText(-seconds, 'second')}`
      : `fresh for another ${countText(seconds, 'second')}`,
  ),
  stored: boolean('the response was stored', 'the response was not stored'),
  collapsed: boolean(
    'collapsed with another request',
    'collapsed with another request, whose response could not be used',
  ),
  key: text(['string'], (key) => `the cache key is ${key}`),
  detail: text(['string', 'token'], (detail) => `detail: ${detail}`),
};

/** Parameters that have no meaning without `fwd` (RFC 9211 2.3, 2.5, 2.6). */
const ONLY_FORWARDED = ['fwd-status', 'stored', 'collapsed'];

/** The name of a cache or of a proxy: a string or token; undefined, with a problem, if it is neither. */
export function nameOf(member: Member, notes: Notes): string | undefined {
  if (!isInnerList(member) && (member.value.type === 'string' || member.value.type === 'token')) {
    return quoted(member.value.value);
  }
  notes.problem(
    'A member has to be a string or a token: the name of the cache or proxy that added it.',
  );
  return undefined;
}

function describeGroups(list: List, notes: Notes, what: string): void {
  for (const member of list) {
    if (isInnerList(member) || member.value.type !== 'string') {
      notes.problem('Each group has to be a string.');
      continue;
    }
    const { value } = member.value;
    notes.means(`${what} the group ${quoted(value)}.`);
    expectNoParameters(notes, quoted(value), member.parameters);
    if (value.length > SUPPORTED) {
      notes.problem(
        `${quoted(value)} is longer than the ${SUPPORTED} characters that every cache supports.`,
      );
    }
  }
  if (list.length > SUPPORTED) {
    notes.problem(`There are more groups than the ${SUPPORTED} that every cache supports.`);
  }
}

export const cachingFields: readonly FieldDeclaration[] = [
  listField({
    name: 'Cache-Status',
    reference: 'RFC 9211 2',
    isOfResponses: true,
    describe(list, notes) {
      for (const member of list) {
        const name = nameOf(member, notes);
        if (name === undefined) continue;
        const { parameters } = member;
        const said = readParameters(notes, name, parameters, CACHE_PARAMETERS);
        notes.means(`The cache ${name}: ${said.join('; ') || 'it handled the request'}.`);
        const isForwarded = parameters.has('fwd');
        if (isForwarded && parameters.get('hit')?.value === true) {
          notes.problem(`${name}: hit and fwd exclude each other (RFC 9211 2.1).`);
        }
        for (const key of ONLY_FORWARDED.filter((each) => !isForwarded && parameters.has(each))) {
          notes.problem(`${name}: ${key} has meaning only with fwd.`);
        }
      }
    },
  }),
  listField({
    name: 'Cache-Groups',
    reference: 'RFC 9875 2',
    isOfResponses: true,
    describe: (list, notes) => describeGroups(list, notes, 'The response belongs to'),
  }),
  listField({
    name: 'Cache-Group-Invalidation',
    reference: 'RFC 9875 3',
    isOfResponses: true,
    describe(list, notes, { message: { method } }) {
      describeGroups(list, notes, 'Caches may invalidate stored responses of');
      if (method !== undefined && SAFE_METHODS.has(method)) {
        notes.problem(`Caches ignore it in the response to ${method}, which is a safe method.`);
      }
    },
  }),
];
