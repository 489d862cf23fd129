import { endpoint } from '../http/endpoint.ts';
import { json } from '../http/reply.ts';

const DOCUMENT = json({
  kettle: { litres: 1.7, colour: 'grün', boiling: true, owner: null },
  cups: [{ size: 'small' }, { size: 'large' }],
});

export const jsonDocument = endpoint({
  id: 'json',
  methods: ['GET'],
  path: '/json',
  group: 'content',
  summary: 'A small fixed JSON document.',
  params: {},
  responses: {
    200: {
      description: 'The document.',
      content: ['application/json'],
      schema: { type: 'object' },
    },
  },
  handle: () => DOCUMENT,
});
