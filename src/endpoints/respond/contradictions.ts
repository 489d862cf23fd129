import { sectionSize } from '../../http/fields.ts';
import { invalid } from '../../http/problem.ts';
import { hasNoContent } from '../../http/status.ts';
import { MAX_INTERIM_BYTES, MAX_INTERIM_RESPONSES } from '../informational.ts';
import { checkFields } from '../response-headers.ts';
import { checkTrailers } from '../trailers.ts';
import { hasChecksum } from './damage.ts';
import type { Description } from './parameters.ts';

type Name = keyof Description;

/** Parameters that give content. */
const CONTENTS: readonly Name[] = ['body', 'base64', 'content'];
/** Parameters that are about content. */
const OF_CONTENT: readonly Name[] = [
  'body_delay',
  'rate',
  'duration',
  'chunk',
  'encoding',
  'damage',
];
/** Parameters of statuses with content. */
const WITH_CONTENT: readonly Name[] = [...CONTENTS, ...OF_CONTENT, 'framing', 'trailer', 'digest'];
/** Parameters that have an effect on garbage in place of the response. */
const OF_GARBAGE: ReadonlySet<string> = new Set<Name>([
  'fault',
  'delay',
  'informational',
  'informational_header',
]);

/**
 * Checks that a description can be sent.
 *
 * @throws Problem invalid-parameter that names both parameters of a contradiction
 */
export function checkDescription(given: Description): void {
  const { type, header, trailer, informational, informational_header: interim } = given;
  checkFields(header);
  if (type !== undefined) checkFields([['Content-Type', type]]);
  checkTrailers(trailer);
  checkFields(interim);
  const responses = informational?.length ?? 0;
  if (responses > MAX_INTERIM_RESPONSES) {
    throw invalid(`informational has more than ${MAX_INTERIM_RESPONSES} statuses`);
  }
  if (responses * sectionSize(interim.flat()) > MAX_INTERIM_BYTES) {
    throw invalid(`the interim responses have more than ${MAX_INTERIM_BYTES} bytes of fields`);
  }
  for (const [one, other, why] of contradictions(given)) {
    throw invalid(`${textOf(given, one)} contradicts ${textOf(given, other)}: ${why}`);
  }
}

/** A parameter with its value if that is a word or a number. */
function textOf(given: Description, name: string): string {
  const value = new Map<string, unknown>(Object.entries(given)).get(name);
  if (name === 'fault') return `fault=${given.fault?.kind}`;
  const isShort = typeof value === 'number' || (typeof value === 'string' && name !== 'body');
  return isShort ? `${name}=${value}` : name;
}

type Contradiction = readonly [one: string, other: string, why: string];

function* contradictions(given: Description): Generator<Contradiction> {
  const of = (list: readonly Name[]): Name[] => list.filter((name) => isGiven(given[name]));
  const { status, framing, trailer, fault, chunk, content } = given;
  const { informational, informational_header: interim } = given;
  const [first, second] = of(CONTENTS);
  if (first && second) yield [first, second, 'a response has one content'];
  if (of(['rate', 'duration']).length === 2)
    yield ['rate', 'duration', 'one follows from the other'];
  const [aboutContent] = of(OF_CONTENT);
  if (aboutContent && !first && !fault) {
    throw invalid(`${aboutContent} needs content: one of ${CONTENTS.join(', ')}`);
  }
  if (interim.length > 0 && !informational)
    throw invalid('informational_header needs informational');
  if (given.damage && !given.encoding) throw invalid('damage needs encoding');
  if (given.damage === 'checksum' && given.encoding && !hasChecksum(given.encoding)) {
    yield ['damage', 'encoding', 'the coding has no checksum (RFC 7932)'];
  }
  const [withContent] = of(WITH_CONTENT);
  if (status?.every(({ value, weight }) => weight === 0 || hasNoContent(value)) && withContent) {
    yield ['status', withContent, 'the status has no content (RFC 9110 6.4.1)'];
  }
  yield* fieldContradictions(given);
  if (trailer.length > 0 && framing && framing !== 'chunked') {
    yield ['trailer', 'framing', 'trailers follow chunked content (RFC 9112 7.1.2)'];
  }
  const isTimed = of(['rate', 'duration']).length > 0;
  if (chunk && framing && framing !== 'chunked' && !isTimed) {
    yield ['chunk', 'framing', 'without rate or duration, only chunks show the pieces'];
  }
  if (!fault) return;
  for (const other of of(['trailer', 'connection'])) yield ['fault', other, 'it ends the response'];
  if (framing === 'close') yield ['fault', 'framing', 'both end the connection'];
  if (fault.kind === 'chunk' && framing === 'length')
    yield ['fault', 'framing', 'there are no chunks'];
  if (fault.kind === 'content-length' && framing === 'chunked') {
    yield ['fault', 'framing', 'chunked content has no length'];
  }
  if (fault.kind === 'no-read' && content?.kind === 'echo') {
    yield ['fault', 'content', 'the echo is made of what was read'];
  }
  if (!fault.replacesResponse) return;
  for (const [name, value] of Object.entries(given)) {
    if (isGiven(value) && !OF_GARBAGE.has(name)) yield ['fault', name, 'it replaces the response'];
  }
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/** Fields that parameters add. */
const ADDED: readonly (readonly [Name, ...string[]])[] = [
  ['type', 'content-type'],
  ['encoding', 'content-encoding'],
  ['digest', 'content-digest', 'repr-digest'],
];

function* fieldContradictions(given: Description): Generator<Contradiction> {
  for (const [name, ...fields] of ADDED) {
    const isBoth = given.header.some(([field]) => fields.includes(field.toLowerCase()));
    if (isBoth && isGiven(given[name])) yield [name, 'header', `both give ${fields[0]}`];
  }
}
