import { mapped, wrong, type WrongProxy } from '../_wrong.ts';

export const wrongLimits: readonly WrongProxy[] = [
  wrong('cuts a target after 4,096 bytes', 'limit/target', {
    request: (request) => {
      request.target = request.target.slice(0, 4096);
    },
  }),
  wrong('answers 200 to a target of more than 4,096 bytes', 'limit/target', {
    refuses: ({ target }) => (target.length > 4096 ? 200 : undefined),
  }),
  wrong('drops the last byte of a target of more than 4,096 bytes', 'limit/target', {
    request: (request) => {
      if (request.target.length > 4096) request.target = request.target.slice(0, -1);
    },
  }),
  wrong('refuses a target of 7,999 bytes', 'limit/target', {
    refuses: ({ target }) => (target.length > 7998 ? 414 : undefined),
  }),
  wrong('cuts a value after 8 KiB', 'limit/field', {
    request: (request) => {
      request.fields = mapped(request.fields, (value) => value.slice(0, 8192));
    },
  }),
  wrong('drops a value of more than 8 KiB', 'limit/field', {
    request: (request) => {
      request.fields = request.fields.filter(([, value]) => value.length <= 8192);
    },
  }),
  wrong('drops fields after the 100th, but for those of its own', 'limit/fields', {
    request: (request) => {
      request.fields = request.fields.filter(([name], at) => at < 100 || !/^x-check/i.test(name));
    },
  }),
  wrong('drops one of more than 100 fields', 'limit/fields', {
    request: (request) => {
      if (request.fields.length > 100)
        request.fields = request.fields.filter((_field, at) => at !== 50);
    },
  }),
];
