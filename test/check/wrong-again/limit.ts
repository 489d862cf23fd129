import { breaking, breaks, mapped, onRequest, type WrongProxy } from '../_wrong.ts';

export const wrongLimits: readonly WrongProxy[] = [
  breaking(
    'cuts a target after 4,096 bytes',
    onRequest((request) => {
      request.target = request.target.slice(0, 4096);
    }),
    { 'limit/target': 'fail' },
  ),
  breaks('answers 200 to a target of more than 4,096 bytes', 'limit/target', {
    refuses: ({ target }) => (target.length > 4096 ? 200 : undefined),
  }),
  breaks('redirects a target of more than 4,096 bytes', 'limit/target', {
    refuses: ({ target }) => (target.length > 4096 ? 302 : undefined),
  }),
  breaking(
    'drops the last byte of a target of more than 4,096 bytes',
    onRequest((request) => {
      if (request.target.length > 4096) request.target = request.target.slice(0, -1);
    }),
    { 'limit/target': 'fail' },
  ),
  breaks('refuses a target of 7,999 bytes', 'limit/target', {
    refuses: ({ target }) => (target.length > 7998 ? 414 : undefined),
  }),
  breaking(
    'cuts a value after 8 KiB',
    onRequest((request) => {
      request.fields = mapped(request.fields, (value) => value.slice(0, 8192));
    }),
    { 'limit/field': 'fail' },
  ),
  breaking(
    'drops a value of more than 8 KiB',
    onRequest((request) => {
      request.fields = request.fields.filter(([, value]) => value.length <= 8192);
    }),
    { 'limit/field': 'fail' },
  ),
  breaking(
    'drops fields after the 100th, but for those of its own',
    onRequest((request) => {
      request.fields = request.fields.filter(([name], at) => at < 100 || !/^x-check/i.test(name));
    }),
    { 'limit/fields': 'fail' },
  ),
  breaking(
    'drops one of more than 100 fields',
    onRequest((request) => {
      if (request.fields.length > 100)
        request.fields = request.fields.filter((_field, at) => at !== 50);
    }),
    { 'limit/fields': 'fail' },
  ),
];
