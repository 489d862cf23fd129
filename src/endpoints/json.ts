import { endpoint } from '../server/endpoint.ts';
import { prettyJson } from '../server/reply.ts';
import { staticDocument, representationResponses } from '../server/representation.ts';

const TYPE = 'application/json';

const respond = staticDocument(
  TYPE,
  prettyJson({
    kettle: { litres: 1.7, colour: 'grün', boiling: true, owner: null },
    cups: [{ size: 'small' }, { size: 'large' }],
  }),
);

export const jsonDocument = endpoint({
  id: 'json',
  methods: ['GET'],
  path: '/json',
  group: 'content',
  summary: 'A small fixed JSON document.',
  params: {},
  responses: representationResponses({
    description: 'The document.',
    content: [TYPE],
    schema: { type: 'object' },
  }),
  handle: ({ request }) => respond(request),
});
