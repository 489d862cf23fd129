import { endpoint } from '../server/endpoint.ts';
import { documentDeclaration } from '../server/representation.ts';

const DOCUMENT = `<?xml version="1.0" encoding="UTF-8"?>
<kettle xmlns="https://example.org/kettle">
  <litres>1.7</litres>
  <colour>grün</colour>
  <boiling since="2024-01-01T00:00:00Z"/>
</kettle>
`;

export const xmlDocument = endpoint({
  ...documentDeclaration('application/xml', DOCUMENT),
  path: '/xml',
  summary: 'A small fixed XML document.',
});
