import { cachingFields } from './caching.ts';
import { clientFields } from './client.ts';
import type { FieldDeclaration } from './declaration.ts';
import { dictionaryFields } from './dictionaries.ts';
import { digestFields } from './digests.ts';
import { lifecycleFields } from './lifecycle.ts';
import { acceptQuery } from './negotiation.ts';
import { priorityFields } from './priority.ts';
import { proxyStatus } from './proxy-status.ts';
import { signatureFields } from './signature-fields.ts';

/** Every field that can be explained. */
const all: readonly FieldDeclaration[] = [
  ...priorityFields,
  ...digestFields,
  ...dictionaryFields,
  ...signatureFields,
  ...cachingFields,
  proxyStatus,
  ...lifecycleFields,
  acceptQuery,
  ...clientFields,
];

/** The declarations by lower-case name. */
export const explainableFields: ReadonlyMap<string, FieldDeclaration> = new Map(
  all.map((field) => [field.name.toLowerCase(), field]),
);
