import { Problem } from '../http/problem.ts';
import { assetReply, isAssetName } from '../pages/home/assets.ts';
import { endpoint } from '../server/endpoint.ts';
import { required } from '../server/params.ts';
import { TEXT } from '../server/schema.ts';

const file = required({ ...TEXT, description: 'Its name.', examples: ['main.js'] }, (text) => text);

const hash = required({ ...TEXT, description: 'Of all files.', examples: ['0'] }, (text) => text);

/** Serves the style sheet and the modules of the page at `/`. */
export const pageFiles = endpoint({
  id: 'page_file',
  path: '/page/{hash}/{file}',
  group: 'operations',
  summary: 'Files of the page at `/`.',
  params: { hash, file },
  responses: {
    200: {
      description: 'The file.',
      content: ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'],
      fields: {
        'Cache-Control': '`immutable` with the current hash.',
        'Content-Encoding': 'br or gzip; none for `identity`.',
        ETag: 'Strong.',
        Vary: '`Accept-Encoding`',
      },
    },
  },
  handle({ request, params: { hash: version, file: name } }) {
    if (!isAssetName(name)) {
      throw new Problem('not-found', `${name} is not a file of the page at /`);
    }
    return assetReply(request, name, version);
  },
});
