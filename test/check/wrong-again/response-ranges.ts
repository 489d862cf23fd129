import { valueOf, type FieldLine } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import {
  changesResponse,
  changingValues,
  keepingFields,
  mapped,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';
import { changingContent, replaceContent } from '../_wrong-content.ts';
import { changingValue } from './_fields.ts';

/** Answers Range by itself with bytes of the whole, which it requests. */
const ranges = (from: number, to: number, contentRange?: string): Deviation => ({
  ...keepingFields((name) => !['range', 'if-range'].includes(name)),
  ...changingContent(() => undefined),
  response: (response, client) => {
    if (valueOf(client.fields, 'range') === undefined || !response.content) return;
    const fields: FieldLine[] =
      contentRange === undefined ? [] : [['Content-Range', `bytes ${contentRange}`]];
    response.status = 206;
    replaceContent(response, response.content.subarray(from, to), ...fields);
  },
});

const asSuccess = (from: number, to: number): Deviation => {
  const { response, ...others } = ranges(from, to);
  return {
    ...others,
    response: (answer, client) => {
      response?.(answer, client);
      if (answer.status === 206) answer.status = 200;
    },
  };
};

/** Changes the content of multipart/byteranges. */
const parts = (change: (text: string) => string): Deviation =>
  changingContent((content, { fields }) =>
    valueOf(fields, 'content-type')?.startsWith('multipart/byteranges')
      ? Buffer.from(change(content.toString('latin1')), 'latin1')
      : undefined,
  );

const range = (name: string, deviation: Deviation): WrongProxy =>
  wrong(name, 'response/range', deviation);
const several = (name: string, deviation: Deviation): WrongProxy =>
  wrong(name, 'response/ranges', deviation);
const ifRange = (name: string, deviation: Deviation): WrongProxy =>
  wrong(name, 'response/if-range', deviation);

const withSuffix = (value: string): string => value.replace(/"$/, '-gzip"');

export const representations: readonly WrongProxy[] = [
  wrong('adds a suffix to each ETag', 'response/etag', changingValue('etag', withSuffix)),
  wrong(
    'removes the quotes of each ETag',
    'response/etag',
    changingValue('etag', (value) => value.replaceAll('"', '')),
  ),
  changesResponse('adds a suffix to the ETag of 304', 'response/not-modified', (response) => {
    if (response.status !== 304) return;
    response.fields = mapped(response.fields, (value, name) =>
      name === 'etag' ? withSuffix(value) : value,
    );
  }),
  changesResponse('replaces 304 by 200 without content', 'response/not-modified', (response) => {
    if (response.status !== 304) return;
    response.status = 200;
    replaceContent(response, Buffer.alloc(0));
  }),
  range('answers a range with its bytes and a range of one more', ranges(100, 200, '100-200/1000')),
  range('answers a range with the wrong length of the whole', ranges(100, 200, '100-199/1001')),
  range('answers a range with the bytes before', ranges(99, 199, '100-199/1000')),
  range('answers a range with a block around it', ranges(0, 512, '0-511/1000')),
  range('answers a range without Content-Range', ranges(100, 200)),
  range('answers a range with all of the content as 206', ranges(0, 1000, '0-999/1000')),
  range('answers a range with a success and the range alone', asSuccess(100, 200)),
  several(
    'removes the end of multipart/byteranges',
    parts((text) => text.replace(/\r\n--[^\r\n]+--\s*$/, '')),
  ),
  several(
    'removes the boundary of multipart/byteranges',
    changingValue('content-type', (value) => value.replace(/^(multipart\/byteranges).*/, '$1')),
  ),
  several(
    'removes the last byte of each part',
    parts((text) => text.replace(/[^\r\n]\r\n--/g, '\r\n--')),
  ),
  several(
    'removes the second part',
    parts((text) => {
      const [boundary = ''] = /^(?:\r\n)?--[^\r\n]+/.exec(text) ?? [];
      const mark = boundary.trim();
      const [first = ''] = text.split(mark).slice(1);
      return `${mark}${first}${mark}--\r\n`;
    }),
  ),
  several(
    'forwards the first of several ranges',
    changingValues((value, name) => (name === 'range' ? value.replace(/,.*/, '') : value)),
  ),
  ifRange('answers a range by itself in spite of If-Range', ranges(0, 10, '0-9/1000')),
  ifRange('answers If-Range with a success and the range alone', asSuccess(0, 10)),
  ifRange('answers If-Range with all of the content as 206', ranges(0, 1000, '0-999/1000')),
  ifRange(
    'makes If-Range one that matches',
    changingValues((value, name) => (name === 'if-range' ? '"range-1000"' : value)),
  ),
];
