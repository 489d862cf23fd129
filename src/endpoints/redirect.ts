import { endpoint } from '../http/endpoint.ts';
import { int } from '../http/params.ts';
import { redirect as redirectTo, text } from '../http/reply.ts';

const countField = { 'X-Redirect-Count': 'n' };

export const redirect = endpoint({
  id: 'redirect',
  methods: 'any',
  path: '/redirect/{n}',
  group: 'redirects',
  summary: 'n redirects to follow, the last of them to /get; 0 is the end of a chain.',
  params: { n: int({ min: 0, max: 20 }) },
  responses: {
    200: {
      description: 'n is 0.',
      content: ['text/plain; charset=utf-8'],
      fields: countField,
    },
    302: {
      description: 'n is 1 or more.',
      fields: { Location: '`/redirect/{n-1}`, and `/get` for 1; relative', ...countField },
    },
  },
  handle({ params: { n } }) {
    const fields = ['X-Redirect-Count', String(n)];
    if (n === 0) return text('Redirect complete', { fields });
    return redirectTo(n === 1 ? '/get' : `/redirect/${n - 1}`, fields);
  },
});
