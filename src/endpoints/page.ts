import { Problem } from '../http/problem.ts';
import { assetReply, isAssetName } from '../pages/home/assets.ts';
import { endpoint, problemResponse } from '../server/endpoint.ts';
import { required } from '../server/params.ts';
import { TEXT, textLike } from '../server/schema.ts';

const file = required({ ...textLike('main.js'), description: 'Its name.' }, (text) => text);

const hash = required({ ...TEXT, description: 'Of all files.', examples: ['0'] }, (text) => text);

/** Documented fields of 200 and 304. */
const fieldDocs = {
  'Cache-Control': '`immutable` with the current hash.',
  ETag: 'Strong.',
  Vary: '`Accept-Encoding`',
};

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
      fields: { ...fieldDocs, 'Content-Encoding': 'br or gzip; none for `identity`.' },
    },
    304: { description: 'If-None-Match holds.', fields: fieldDocs },
    412: problemResponse('If-Match fails.', { Vary: fieldDocs.Vary }),
  },
  handle({ request, params: { hash: version, file: name } }) {
    if (!isAssetName(name)) {
      throw new Problem('not-found', `${name} is not a file of the page at /`);
    }
    return assetReply(request, name, version);
  },
});
