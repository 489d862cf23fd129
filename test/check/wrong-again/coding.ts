import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Outcome } from '../../../src/check/check.ts';
import { listOf, valueOf, type FieldLine } from '../../../src/check/message.ts';
import type { ClientRequest, ClientResponse, Deviation } from '../_gateway-messages.ts';
import {
  changesRequest,
  changesResponse,
  differs,
  without,
  wrong,
  type WrongProxy,
  changesValues,
} from '../_wrong.ts';
import { changingContent, changesContent } from '../_wrong-content.ts';

/** How a gateway codes content. By default it does so as it may. */
interface Coder {
  readonly coding?: string;
  readonly encode?: (content: Buffer) => Buffer;
  /** Whether it codes a response, by whether it may. */
  readonly codes?: (may: boolean, response: ClientResponse, client: ClientRequest) => boolean;
  readonly etag?: (value: string, response: ClientResponse) => readonly string[];
  /** Whether it codes on HTTP/1.1 alone: node:http2 sends ETag once. */
  readonly isHttp1?: boolean;
  readonly vary?: (response: ClientResponse) => readonly string[];
}

const typeOf = ({ fields }: Pick<ClientResponse, 'fields'>): string =>
  valueOf(fields, 'content-type') ?? '';

const accepts = (client: ClientRequest, name: string): boolean =>
  listOf(client.fields, 'accept-encoding').some((each) => each.split(';')[0] === name);

const directives = ({ fields }: ClientResponse): readonly string[] =>
  listOf(fields, 'cache-control');
const isOptedOut = (response: ClientResponse): boolean =>
  directives(response).includes('no-transform');

function coding({
  coding: name = 'gzip',
  encode = gzipSync,
  codes = (may) => may,
  etag = (value) => [`W/${value}`],
  vary = () => ['Accept-Encoding'],
  isHttp1 = false,
}: Coder): Deviation {
  return changingContent((content, response, client) => {
    const isWhole = response.status === 200 && client.target.startsWith('/response-headers');
    if (!isWhole || content.length < 256 || (isHttp1 && client.version === '2.0')) return undefined;
    const isPlain = valueOf(response.fields, 'content-encoding') === undefined;
    const may = accepts(client, 'gzip') && isPlain && !isOptedOut(response);
    if (!codes(may, response, client)) return undefined;
    const etags = etag(valueOf(response.fields, 'etag') ?? '""', response);
    response.fields = [
      ...without(response.fields, 'etag', 'content-encoding'),
      ...etags.map((value): FieldLine => ['ETag', value]),
      ...vary(response).map((value): FieldLine => ['Vary', value]),
      ['Content-Encoding', name],
    ];
    return encode(content);
  });
}

const isHtml = (response: ClientResponse): boolean => typeOf(response).startsWith('text/html');
const isJson = (response: ClientResponse): boolean => typeOf(response).includes('json');

const added = (name: string, coder: Coder): WrongProxy =>
  wrong(name, 'coding/added', coding(coder));
const vary = (name: string, coder: Coder): WrongProxy => wrong(name, 'coding/vary', coding(coder));
const intact = (
  name: string,
  encode: (content: Buffer) => Buffer,
  coder: Coder = {},
  outcome: Outcome = 'fail',
): WrongProxy => wrong(name, { 'coding/intact': outcome }, coding({ ...coder, encode }));
const notAsked = (name: string, coder: Coder): WrongProxy =>
  wrong(name, 'coding/not-asked', coding(coder));
const noTransform = (name: string, coder: Coder): WrongProxy =>
  wrong(name, 'coding/no-transform', coding(coder));

/** Changes content of the origin that is coded. */
const kept = (
  name: string,
  change: (content: Buffer, response: ClientResponse) => Buffer | undefined,
  outcome: Outcome = 'fail',
): WrongProxy =>
  changesContent(name, { 'coding/kept': outcome }, (content, response) =>
    valueOf(response.fields, 'content-encoding') === 'gzip' ? change(content, response) : undefined,
  );

/** Decodes what the client has not asked for. */
const decoding = (fields: (all: readonly FieldLine[]) => FieldLine[]): Deviation =>
  changingContent((content, response, client) => {
    const isCoded = valueOf(response.fields, 'content-encoding') === 'gzip';
    if (!isCoded || accepts(client, 'gzip')) return undefined;
    response.fields = fields(without(response.fields, 'content-encoding'));
    return gunzipSync(content);
  });

const strong = (value: string): readonly string[] => [value];
const minified = (content: Buffer): Buffer =>
  Buffer.from(content.toString('latin1').replace(/\n\s*/g, ''), 'latin1');

export const codings: readonly WrongProxy[] = [
  kept('removes the last 8 bytes of coded content', (content) => content.subarray(0, -8)),
  kept('removes the last byte of coded content', (content) => content.subarray(0, -1)),
  kept('decodes content, and loses its last byte', (content, response) => {
    response.fields = without(response.fields, 'content-encoding');
    return gunzipSync(content).subarray(0, -1);
  }),
  kept('decodes content, and says br', (content, response) => {
    response.fields = [...without(response.fields, 'content-encoding'), ['Content-Encoding', 'br']];
    return gunzipSync(content);
  }),
  kept('codes content as deflate, and says gzip', (content) => deflateSync(gunzipSync(content))),
  kept('decodes content to 64 bytes', (content, response) => {
    response.fields = without(response.fields, 'content-encoding');
    return gunzipSync(content).subarray(0, content.length);
  }),
  // JSON in other bytes is a transformation, which RFC 9110 7.7 allows without no-transform.
  kept('minifies coded content', (content) => gzipSync(minified(gunzipSync(content))), 'differs'),
  kept('removes a member of JSON that it decodes and codes again', (content) =>
    gzipSync(
      gunzipSync(content)
        .toString('latin1')
        .replace(/\n +"origin":.*/, ''),
    ),
  ),
  changesContent(
    'sends Content-Encoding of coded content in two lines',
    'coding/kept',
    (content, { fields }) => {
      if (valueOf(fields, 'content-encoding') !== 'gzip') return undefined;
      fields.push(['Content-Encoding', 'gzip']);
      return content;
    },
  ),
  notAsked('codes HTML unasked', { codes: (may, response) => may || isHtml(response) }),
  notAsked('codes JSON as deflate unasked', {
    coding: 'deflate',
    encode: deflateSync,
    codes: (_may, response) => isJson(response),
  }),
  notAsked('codes with br unasked where it has no ETag', {
    coding: 'br',
    encode: brotliCompressSync,
    codes: (may, response, client) => may || (accepts(client, 'identity') && isJson(response)),
  }),
  added('keeps the strong ETag of HTML alone', {
    etag: (value, response) => [isHtml(response) ? value : `W/${value}`],
  }),
  added('keeps the strong ETag of what it codes with br', {
    coding: 'br',
    encode: brotliCompressSync,
    etag: strong,
  }),
  added('keeps the strong ETag of what it codes as x-gzip', { coding: 'x-gzip', etag: strong }),
  added('keeps the strong ETag, and says GZIP', { coding: 'GZIP', etag: strong }),
  added('keeps the strong ETag of what it codes twice', {
    coding: 'br, gzip',
    encode: (content) => gzipSync(brotliCompressSync(content)),
    etag: strong,
  }),
  added('sends the strong ETag before a weak one', {
    isHttp1: true,
    etag: (value) => [value, `W/${value}`],
  }),
  added('sends the strong ETag after a weak one', {
    isHttp1: true,
    etag: (value) => [`W/${value}`, value],
  }),
  added('codes as deflate with the strong ETag', {
    coding: 'deflate',
    encode: deflateSync,
    etag: strong,
  }),
  vary('sends Vary: Accept', { vary: () => ['Accept'] }),
  vary('sends Vary: User-Agent, X-Accept-Encoding', {
    vary: () => ['User-Agent, X-Accept-Encoding'],
  }),
  vary('sends no Vary for JSON alone', {
    vary: (response) => (isJson(response) ? [] : ['Accept-Encoding']),
  }),
  vary('sends no Vary with br', { coding: 'br', encode: brotliCompressSync, vary: () => [] }),
  intact('codes without the last byte', (content) => gzipSync(content.subarray(0, -1))),
  intact('codes without one of many bytes that are alike', (content) =>
    gzipSync(Buffer.from(content.toString('latin1').replace('xx', 'x'), 'latin1')),
  ),
  intact('codes all but the checksum', (content) => gzipSync(content).subarray(0, -8)),
  // Transformations, too.
  intact('minifies what it codes', (content) => gzipSync(minified(content)), {}, 'differs'),
  intact('codes with br, and says gzip', brotliCompressSync),
  intact('codes as gzip with a comment after it', (content) =>
    Buffer.concat([gzipSync(content), Buffer.from('<!-- coded -->')]),
  ),
  intact(
    'codes HTML with a comment of its own',
    (content) => gzipSync(Buffer.concat([content, Buffer.from('<!-- coded -->')])),
    { codes: (may, response) => may && isHtml(response) },
  ),
  intact(
    'makes LF in what it codes CR LF',
    (content) => gzipSync(Buffer.from(content.toString('utf8').replaceAll('\n', '\r\n'), 'latin1')),
    {},
    'differs',
  ),
  noTransform('codes JSON in spite of no-transform', {
    codes: (may, response) => may || (isJson(response) && isOptedOut(response)),
  }),
  noTransform('codes in spite of no-transform with other directives', {
    codes: (may, response) => may || directives(response).length > 1,
  }),
  noTransform('codes with br in spite of no-transform', {
    coding: 'br',
    encode: brotliCompressSync,
    codes: (may, response) => may || isOptedOut(response),
  }),
  changesContent('minifies in spite of no-transform', 'coding/no-transform', (content, response) =>
    isOptedOut(response) ? minified(content) : undefined,
  ),
  changesResponse(
    'refuses what it would code',
    ['coding/intact', 'coding/no-transform'],
    (response, client) => {
      if (accepts(client, 'br')) response.status = 502;
    },
  ),
  wrong(
    'decodes, and keeps the strong ETag before a weak one',
    'coding/decoded',
    decoding((all) => [...all, ['ETag', 'W/"check-gzip"']]),
  ),
  wrong(
    'decodes, keeps the strong ETag, and says identity',
    'coding/decoded',
    decoding((all) => [...all, ['Content-Encoding', 'identity']]),
  ),
  changesRequest(
    'sends an empty Accept-Encoding for clients without',
    differs('coding/accept-encoding-added'),
    (request) => {
      if (valueOf(request.fields, 'accept-encoding') === undefined)
        request.fields.push(['Accept-Encoding', '']);
    },
  ),
  changesValues(
    'removes the weight of a coding',
    differs('coding/accept-encoding'),
    (value, name) => (name === 'accept-encoding' ? value.replace(/;q=0.5/, '') : value),
  ),
];
