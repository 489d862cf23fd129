import { preferred } from '../http/accept.ts';
import { endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import type { Parameter } from '../server/params.ts';
import { json, reply } from '../server/reply.ts';
import { Problem, type ProblemCode } from '../http/problem.ts';
import {
  isProblemCode,
  problemCodes,
  problemObject,
  problemPage,
  problemTypeSchema,
} from '../pages/problem-page.ts';

const OFFERS = ['text/html; charset=utf-8', 'application/json'] as const;
const VARY = { fields: ['Vary', 'Accept'] };

/** A code of the catalogue: any other names a resource that is not there, which is 404. */
const problemCode: Parameter<ProblemCode> = {
  schema: { type: 'string', enum: problemCodes, description: 'The end of the type.' },
  required: true,
  parse(text = '') {
    if (isProblemCode(text)) return text;
    throw new Problem('not-found', `${text} is no problem that wirebin answers with`);
  },
};

export const problemPages = endpoint({
  id: 'problem',
  methods: ['GET'],
  path: '/problems/{code}',
  group: 'operations',
  summary: 'Explains a problem: the type of every error answer leads here.',
  params: { code: problemCode },
  responses: {
    200: {
      description: 'What the problem is and what brings it about.',
      content: OFFERS,
      schema: problemTypeSchema,
      fields: { Vary: 'Accept' },
    },
    404: { description: 'There is no such problem.', content: ['application/problem+json'] },
  },
  handle({ request, params: { code } }) {
    const type = preferred(fieldValue(request.fields, 'accept'), OFFERS);
    if (type === 'application/json') return json(problemObject(code), VARY);
    return reply(OFFERS[0], problemPage(code), VARY);
  },
});
