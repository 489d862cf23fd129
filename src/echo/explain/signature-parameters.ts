import { isSignatureAlgorithm } from '../../http/message-signatures/algorithms.ts';
import type { Parameters } from '../../http/structured-fields.ts';
import { integer, readParameters, text, type Expected } from './expected.ts';
import { distanceText, quoted, timeText, type Notes } from './notes.ts';

const MAX_TIME = 999_999_999_999_999;

const string = (what: string): Expected => text(['string'], (value) => `${what} ${value}.`);

/** Says what the parameters of a signature mean (RFC 9421 2.3). @param now seconds since 1970 */
export function describeSignatureParameters(
  notes: Notes,
  label: string,
  parameters: Parameters,
  now: number,
): void {
  const time = (past: string, future: string) =>
    integer(0, MAX_TIME, (at) => {
      const what = at < now ? past : future;
      return `${what} ${timeText(at)}, ${distanceText(at - now)}.`;
    });
  const said = readParameters(notes, label, parameters, {
    created: time('Created at', 'Created at'),
    expires: time('Expired at', 'Expires at'),
    nonce: string('The nonce, to be accepted only once, is'),
    alg: string('The algorithm is'),
    keyid: string('The key is named'),
    tag: string('The tag, which names the application, is'),
  });
  for (const sentence of said) notes.means(sentence);
  checkTimes(notes, parameters, now);
  const alg = parameters.get('alg');
  if (alg?.type === 'string' && !isSignatureAlgorithm(alg.value)) {
    notes.problem(`The algorithm ${quoted(alg.value)} is not registered (RFC 9421 6.2).`);
  }
}

function checkTimes(notes: Notes, parameters: Parameters, now: number): void {
  const created = integerOf(parameters, 'created');
  const expires = integerOf(parameters, 'expires');
  if (created === undefined) notes.problem('`created` is recommended (RFC 9421 2.3).');
  else if (created > now) notes.problem('Its creation time is in the future.');
  if (expires !== undefined && expires < now) notes.problem('It has expired.');
  if (created !== undefined && expires !== undefined && expires <= created) {
    notes.problem('Its expiration time is not after its creation time.');
  }
}

/** An integer parameter; undefined if it is absent or of another type. */
export function integerOf(parameters: Parameters, key: string): number | undefined {
  const item = parameters.get(key);
  return item?.type === 'integer' ? item.value : undefined;
}

/** A string parameter; undefined as above. */
export function stringOf(parameters: Parameters, key: string): string | undefined {
  const item = parameters.get(key);
  return item?.type === 'string' ? item.value : undefined;
}
