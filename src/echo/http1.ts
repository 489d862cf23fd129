import type { Request } from '../server/request.ts';
import { arrayOf, enumOf, nullable, objectSchema, TEXT, type Infer } from '../server/schema.ts';

const factsSchema = objectSchema('Http1', {
  version: enumOf('HTTP/1.0', 'HTTP/1.1'),
  field_names: arrayOf(TEXT),
  raw_head: { ...TEXT, description: 'Request line and field lines in base64.' },
});

/** Response of `/http1`. */
export const http1DetailsSchema = objectSchema(
  'Http1Story',
  { http1: nullable(factsSchema), reason: TEXT },
  ['reason'],
);

/** The header section of an HTTP/1.x request as sent: field names in order and case, and the raw bytes. */
export function http1Details(request: Request): Infer<typeof http1DetailsSchema> {
  const { version, fields, head } = request;
  if (head === undefined) return { http1: null, reason: `the request uses ${version}` };
  return {
    http1: {
      version: version === 'HTTP/1.0' ? version : 'HTTP/1.1',
      field_names: fields.filter((_, at) => at % 2 === 0),
      raw_head: Buffer.from(head, 'latin1').toString('base64'),
    },
  };
}
