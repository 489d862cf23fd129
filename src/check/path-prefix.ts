import type { FieldLine } from './message.ts';

/** The path of a URL below which a target or an origin is, without the slash at its end; empty for the root. */
export const prefixOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

/** A URL as it is named in reports: without a slash at its end. */
export const addressOf = (url: URL): string => `${url.origin}${prefixOf(url)}`;

/** A target below a prefix. Only those in origin form have a path that can be (RFC 9112 3.2.1). */
export const below = (prefix: string, target: string): string =>
  target.startsWith('/') ? `${prefix}${target}` : target;

/** Fields whose `:path` is below a prefix. */
export const fieldsBelow = (prefix = '', fields: readonly FieldLine[]): readonly FieldLine[] =>
  prefix === ''
    ? fields
    : fields.map(([name, value]) => [name, name === ':path' ? below(prefix, value) : value]);

/** A path without the prefix, which the target may have removed. */
export const withoutPrefix = (prefix: string, path: string): string =>
  prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
