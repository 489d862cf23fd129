import { endpoint } from '../server/endpoint.ts';
import { staticDocument, representationResponses } from '../server/representation.ts';

const TYPE = 'application/xml';

const respond = staticDocument(
  TYPE,
  `<?xml version="1.0" encoding="UTF-8"?>
<kettle xmlns="https://example.org/kettle">
  <litres>1.7</litres>
  <colour>grün</colour>
  <boiling since="2024-01-01T00:00:00Z"/>
</kettle>
`,
);

export const xmlDocument = endpoint({
  id: 'xml',
  methods: ['GET'],
  path: '/xml',
  group: 'content',
  summary: 'A small fixed XML document.',
  params: {},
  responses: representationResponses({ description: 'The document.', content: [TYPE] }),
  handle: ({ request }) => respond(request),
});
