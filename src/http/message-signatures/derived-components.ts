import { parseQuery } from '../query.ts';
import type { Parameters } from '../structured-fields.ts';
import type { ComponentValue } from './field-components.ts';

/** The parts of a request that derived components are made of. */
export interface SignedTarget {
  readonly method: string;
  /** In lower case. */
  readonly scheme: string;
  /** Host and port, normalized by `normalizeAuthority()`. */
  readonly authority: string;
  /** As in the request line. */
  readonly requestTarget: string;
  readonly targetUri: string;
  /** As sent. */
  readonly path: string;
  /** As sent, without its question mark. */
  readonly query: string;
}

type Derive = (target: SignedTarget) => string;

/** Derived components of requests without parameters (RFC 9421 2.2.1 to 2.2.7). */
const DERIVED: Readonly<Record<string, Derive>> = {
  '@method': ({ method }) => method,
  '@target-uri': ({ targetUri }) => targetUri,
  '@authority': ({ authority }) => authority,
  '@scheme': ({ scheme }) => scheme,
  '@request-target': ({ requestTarget }) => requestTarget,
  '@path': ({ path }) => path || '/',
  '@query': ({ query }) => `?${query}`,
};

/** The values of derived components (RFC 9421 2.2). */
export class DerivedComponents {
  readonly #target: SignedTarget;
  /** Values of query parameters by name, both encoded; undefined until one is needed. */
  #queryParameters: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(target: SignedTarget) {
    this.#target = target;
  }

  valueOf(name: string, parameters: Parameters): ComponentValue {
    if (name === '@query-param') return this.#queryParameter(parameters);
    const derive = Object.hasOwn(DERIVED, name) ? DERIVED[name] : undefined;
    if (!derive) return { reason: notDerived(name) };
    const [parameter] = parameters.keys();
    if (parameter !== undefined)
      return { reason: `the parameter ${parameter} does not apply to it` };
    return { value: derive(this.#target) };
  }

  /** RFC 9421 2.2.8. */
  #queryParameter(parameters: Parameters): ComponentValue {
    const name = parameters.get('name');
    if (name?.type !== 'string' || parameters.size > 1) {
      return { reason: 'it needs the parameter name, a string, and no other' };
    }
    this.#queryParameters ??= encodedParameters(this.#target.query);
    const [first, second] = this.#queryParameters.get(name.value) ?? [];
    if (first === undefined) return { reason: 'the query does not have it' };
    if (second !== undefined) return { reason: 'the query has it more than once (RFC 9421 2.2.8)' };
    return { value: first };
  }
}

function notDerived(name: string): string {
  if (name === '@status') return 'it is for responses only (RFC 9421 2.2.9)';
  if (name === '@signature-params') return 'it must not be covered (RFC 9421 2.3)';
  return 'this derived component is unknown';
}

function encodedParameters(query: string): ReadonlyMap<string, readonly string[]> {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of parseQuery(query)) {
    const encoded = formEncoded(name);
    const values = parameters.get(encoded);
    if (values) values.push(formEncoded(value));
    else parameters.set(encoded, [formEncoded(value)]);
  }
  return parameters;
}

/** Encodes text as in application/x-www-form-urlencoded, but a space as %20. */
function formEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** An authority in lower case and without the default port of its scheme (RFC 9110 4.2.3). */
export function normalizeAuthority(authority: string, scheme: string): string {
  const lower = authority.toLowerCase();
  const port = DEFAULT_PORTS[scheme] ?? '';
  if (port !== '' && lower.endsWith(port)) return lower.slice(0, -port.length);
  return lower.endsWith(':') ? lower.slice(0, -1) : lower;
}
