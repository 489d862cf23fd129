import { objectSchema, TEXT } from '../server/schema.ts';
import { problems, type ProblemCode } from '../http/problem.ts';
import { escapeHtml, page } from './page.ts';

/** All problem codes, in the order of the catalog. */
export const problemCodes: readonly ProblemCode[] = Object.keys(problems).filter(isProblemCode);

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text);
}

/** The explanation of a problem type as HTML. @param hasDocs whether `/docs/errors` exists */
export function problemPage(code: ProblemCode, hasDocs: boolean): string {
  const { title, status, cause } = problems[code];
  const docs = hasDocs ? ' · <a href="../docs/errors">All errors</a>' : '';
  return page(
    `${title} – wirebin`,
    `<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code> <small>status ${status}</small></p>
<p>${escapeHtml(cause)}</p>
<p><small><a href="/">All endpoints</a>${docs}</small></p>`,
  );
}

/** The explanation of a problem type as JSON. */
export function problemObject(code: ProblemCode): Record<string, unknown> {
  return { type: `/problems/${code}`, ...problems[code] };
}

/** The `application/problem+json` body of error responses (RFC 9457). */
export const problemSchema = objectSchema('Problem', {
  type: {
    type: 'string',
    format: 'uri-reference',
    enum: problemCodes.map((code) => `/problems/${code}`),
    description: 'Stable identifier of the problem type, and link to its explanation.',
  },
  title: { ...TEXT, description: 'The same for all problems of this type.' },
  status: { type: 'integer', format: 'int32' },
  detail: { ...TEXT, description: 'What was wrong with this request.' },
});

/** The JSON of `/problems/{code}`. */
export const problemTypeSchema = objectSchema('ProblemType', {
  type: { type: 'string', format: 'uri-reference' },
  status: { type: 'integer', format: 'int32' },
  title: TEXT,
  cause: TEXT,
});
