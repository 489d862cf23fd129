import { endpoint } from '../../src/server/endpoint.ts';

/** A header section of about 1 MB. */
export const large = endpoint({
  id: 'large',
  path: '/large',
  methods: 'any',
  group: 'content',
  summary: '',
  params: {},
  responses: {},
  handle: () => ({
    status: 200,
    fields: Array.from({ length: 20 }, () => ['X-Large', 'x'.repeat(50_000)]).flat(),
    payload: '',
  }),
});
