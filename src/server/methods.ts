import type { Method } from './endpoint.ts';

/** Declared methods and implied ones: HEAD with GET, OPTIONS with every path. */
export type AllowedMethod = Method | 'HEAD' | 'OPTIONS' | 'TRACE';

/** The methods documented for `any`; such endpoints accept unknown methods too. */
const ANY_METHODS: readonly AllowedMethod[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/** The methods that a path supports, in the order of its Allow field. */
export function allowedMethods(declared: readonly Method[] | 'any'): readonly AllowedMethod[] {
  if (declared === 'any') return ANY_METHODS;
  const withHead = declared.flatMap((method): AllowedMethod[] =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );
  return [...withHead, 'OPTIONS'];
}
