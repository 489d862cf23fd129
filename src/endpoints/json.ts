import { endpoint } from '../server/endpoint.ts';
import { prettyJson } from '../server/reply.ts';
import { documentDeclaration } from '../server/representation.ts';

export const jsonDocument = endpoint({
  ...documentDeclaration(
    'application/json',
    prettyJson({
      kettle: { litres: 1.7, colour: 'grün', boiling: true, owner: null },
      cups: [{ size: 'small' }, { size: 'large' }],
    }),
    { schema: { type: 'object' } },
  ),
  path: '/json',
  summary: 'A small fixed JSON document.',
});
