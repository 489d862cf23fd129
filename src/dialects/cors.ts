import type { Dialect } from '../server/dialect.ts';
import { repeatableValue } from '../server/response-fields.ts';

/**
 * CORS fields that allow any origin and, in preflight responses, a fixed list of methods.
 *
 * @param methods value of Access-Control-Allow-Methods
 */
export function corsForAll(methods: string): Dialect['addCorsFields'] {
  return ({ method, fields: received }, fields) => {
    const origin = repeatableValue(received, 'origin');
    fields.push('Access-Control-Allow-Origin', origin ?? '*');
    fields.push('Access-Control-Allow-Credentials', 'true');
    if (origin !== undefined) fields.push('Vary', 'Origin');
    if (method !== 'OPTIONS') return;
    fields.push('Access-Control-Allow-Methods', methods, 'Access-Control-Max-Age', '3600');
    const wanted = repeatableValue(received, 'access-control-request-headers');
    if (wanted) fields.push('Access-Control-Allow-Headers', wanted);
  };
}
