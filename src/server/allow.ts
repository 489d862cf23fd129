import { allowedMethods, type Endpoint } from './endpoint.ts';

/** The properties of an endpoint that determine the response to OPTIONS. */
export type Capabilities = Pick<Endpoint, 'methods' | 'content' | 'contentSchema'>;

/** The target `*`, which is no endpoint: the server in general (RFC 9110 9.3.7). */
export const WHOLE_SERVER: Capabilities = {
  methods: 'any',
  content: false,
  contentSchema: undefined,
};

/** The value of the Allow field (RFC 9110 10.2.1). */
export function allowed(methods: Endpoint['methods']): string {
  return allowedMethods(methods).join(', ');
}

/**
 * The fields of a response to OPTIONS: Allow and, if the endpoint reads the content of QUERY, Accept-Query with the
 * media types that it accepts (RFC 10008 3).
 */
export function optionsFields({ methods, content, contentSchema }: Capabilities): string[] {
  const allow = ['Allow', allowed(methods)];
  if (methods !== 'any' || content === false) return allow;
  return [...allow, 'Accept-Query', contentSchema ? 'application/json' : '*/*'];
}
