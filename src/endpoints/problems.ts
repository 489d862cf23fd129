import { negotiateMediaType } from '../http/accept.ts';
import { endpoint, hasPath, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { required } from '../server/params.ts';
import { HTML_TYPE, json, reply } from '../server/reply.ts';
import { Problem, type ProblemCode } from '../http/problem.ts';
import {
  isProblemCode,
  problemCodes,
  problemObject,
  problemPage,
  problemTypeSchema,
} from '../pages/problem-page.ts';

const OFFERS = [HTML_TYPE, 'application/json'] as const;
const VARY = { fields: ['Vary', 'Accept'] };

/** A problem code. Other values respond with 404. */
const problemCode = required<ProblemCode>(
  { type: 'string', enum: problemCodes, description: 'The last segment of `type`.' },
  (text) => {
    if (isProblemCode(text)) return text;
    throw new Problem('not-found', `${text} is not a problem code of wirebin`);
  },
);

/** @param list returns every endpoint of the service */
export function problemPages(list: () => readonly Endpoint[]): Endpoint {
  return endpoint({
    id: 'problem',
    path: '/problems/{code}',
    group: 'operations',
    summary: 'Explains a problem type: the `type` of every error response is a URL of this path.',
    params: { code: problemCode },
    responses: {
      200: {
        description: 'What the problem means and what causes it.',
        content: OFFERS,
        schema: problemTypeSchema,
        fields: { Vary: 'Accept' },
      },
      404: problemResponse('There is no such problem code.'),
    },
    handle({ request, params: { code } }) {
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS);
      if (type === 'application/json') return json(problemObject(code), VARY);
      return reply(OFFERS[0], problemPage(code, hasPath(list(), '/docs')), VARY);
    },
  });
}
