import { wrong, type WrongProxy } from '../_wrong.ts';

/** Gateways with limits of their own. */
export const wrongLimits: readonly WrongProxy[] = [
  wrong(
    'refuses targets of more than 2,000 bytes',
    { refuses: ({ target }) => (target.length > 2000 ? 414 : undefined) },
    // It asks for its long field in the target.
    { 'limit/target': 'fail', 'target/long': 'fail' },
  ),
  wrong(
    'refuses values of more than 2,000 bytes',
    {
      refuses: ({ fields }) => (fields.some(([, value]) => value.length > 2000) ? 431 : undefined),
    },
    { 'limit/field': 'differs', 'field/long': 'fail' },
  ),
  wrong(
    'refuses more than 150 fields',
    { refuses: ({ fields }) => (fields.length > 150 ? 431 : undefined) },
    { 'limit/fields': 'differs' },
  ),
  wrong(
    'refuses content of more than 100,000 bytes',
    {
      refuses: ({ framing }) =>
        typeof framing === 'object' && framing.length > 100_000 ? 413 : undefined,
    },
    { 'limit/content': 'differs', 'http/1.1 expect/large': 'differs' },
  ),
];
