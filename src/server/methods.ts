import type { Method } from './endpoint.ts';

/** What endpoints declare, and what comes by itself: HEAD with GET, OPTIONS with every path. */
export type AllowedMethod = Method | 'HEAD' | 'OPTIONS' | 'TRACE';

/** What `any` stands for in documents; endpoints that take any method take unknown ones too. */
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

/** The methods that a path with this declaration answers, in the order of its Allow field. */
export function allowedMethods(declared: readonly Method[] | 'any'): readonly AllowedMethod[] {
  if (declared === 'any') return ANY_METHODS;
  const withHead = declared.flatMap((method): AllowedMethod[] =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );
  return [...withHead, 'OPTIONS'];
}
