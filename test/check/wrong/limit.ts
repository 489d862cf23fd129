import { changesRequest, differs, mapped, wrong, type WrongProxy } from '../_wrong.ts';

/** Gateways with limits of their own. */
export const wrongLimits: readonly WrongProxy[] = [
  wrong(
    'refuses targets of more than 2,000 bytes',
    {
      'limit/target': 'fail',
      'target/long': 'fail',
      'response/long-field': 'not-applicable',
    },
    { refuses: ({ target }) => (target.length > 2000 ? 414 : undefined) },
  ),
  wrong(
    'refuses values of more than 2,000 bytes',
    { 'limit/field': 'differs', 'limit/known-field': 'differs', 'field/long': 'fail' },
    {
      refuses: ({ fields }) => (fields.some(([, value]) => value.length > 2000) ? 431 : undefined),
    },
  ),
  wrong('cuts Cookie after 4 KiB', 'limit/known-field', {
    request: (request) => {
      request.fields = mapped(request.fields, (value, name) =>
        name === 'cookie' ? value.slice(0, 4096) : value,
      );
    },
  }),
  wrong('drops User-Agent of more than 8 KiB', 'limit/known-field', {
    request: (request) => {
      request.fields = request.fields.filter(
        ([name, value]) => !/^user-agent$/i.test(name) || value.length <= 8192,
      );
    },
  }),
  wrong('cuts Set-Cookie after 4 KiB', 'limit/response-field', {
    response: (response) => {
      response.fields = mapped(response.fields, (value, name) =>
        name === 'set-cookie' ? value.slice(0, 4096) : value,
      );
    },
  }),
  changesRequest('forwards the first 100 fields', 'limit/fields', (request) => {
    request.fields = request.fields.slice(0, 100);
  }),
  wrong('refuses more than 150 fields', differs('limit/fields'), {
    refuses: ({ fields }) => (fields.length > 150 ? 431 : undefined),
  }),
  wrong(
    'refuses content of more than 100,000 bytes',
    differs('limit/content', 'http/1.1 expect/large', 'content/upload-lengths'),
    {
      refuses: ({ framing }) =>
        typeof framing === 'object' && framing.length > 100_000 ? 413 : undefined,
    },
  ),
];
