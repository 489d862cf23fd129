import { BROKEN_FRAMES } from '../../../src/server/fault.ts';
import { get, post, type Case } from './_case.ts';
import { codingCases } from './_coding-cases.ts';
import { emptyCases, messageCases } from './_message-cases.ts';
import type { Version } from './_program.ts';

/** Cases of one subject: a table on the page of each client. */
export interface Group {
  readonly name: string;
  readonly heading: string;
  /** Those of both versions of HTTP, and those of one. */
  readonly both?: readonly Case[];
  readonly only?: Readonly<Partial<Record<Version, readonly Case[]>>>;
}

/** More content than a connection buffers. */
const LARGE = 4 * 1024 * 1024;
/** More content than a window of HTTP/2, in less than the time limit of a client that waits for each WINDOW_UPDATE. */
const SEVERAL_WINDOWS = 256 * 1024;

const hows = (kind: string, parameter: string, words: readonly string[]): Case[] =>
  words.map((word) => get(`/fault/${kind}?${parameter}=${word}`));

/** The first attempt fails, and the next one does not. */
const once = (fault: string): string => `/respond/KEY?first=${fault}&then=body=done`;

const expecting = (query: string): Case =>
  post(`/expect?${query}`, 10, { field: 'Expect: 100-continue', isExpect: true, isEcho: true });

const interim = (codes: string): Case => get(`/informational/${codes}`, { isEcho: true });

export const groups: readonly Group[] = [
  {
    name: 'ends',
    heading: 'Incomplete and late responses',
    both: [
      get('/fault/close?at=start'),
      get('/fault/close?at=headers'),
      get('/fault/close'),
      get('/fault/close?at=end'),
      // Later than what the client writes after it has read, which would meet the RST, too.
      get('/fault/reset?at=start&for=0.3'),
      get('/fault/reset?for=0.3'),
      get('/fault/truncate-tls', { tls: true }),
      get('/fault/stall?for=1'),
      get('/fault/stall?at=start&for=1'),
      get('/fault/content-length?declared=10240&sent=5120'),
      get('/fault/content-length?declared=5120&sent=10240'),
      get('/fault/slow-head?rate=500'),
      // How clients report random bytes depends on the bytes.
      get('/fault/garbage?seed=1&for=0.3'),
      get('/fault/garbage?at=body&seed=1&for=0.3'),
      post('/fault/no-read?after=1024&for=1', SEVERAL_WINDOWS),
    ],
    only: {
      '1.1': [get('/fault/close?framing=chunked'), get('/fault/close?framing=chunked&at=end')],
    },
  },
  {
    name: 'http1',
    heading: 'Messages of HTTP/1.1',
    only: {
      '1.1': [
        ...hows('chunk', 'how', ['bad-size', 'overflow', 'no-crlf', 'no-last', 'long-extension']),
        ...hows('chunk', 'how', ['forbidden-trailer']),
        ...hows('head', 'how', ['bare-lf', 'obs-fold', 'space-before-colon', 'no-colon', 'nul']),
        ...hows('head', 'how', ['two-lengths', 'length-and-chunked', 'no-status', 'bad-version']),
        ...messageCases,
      ],
    },
  },
  {
    name: 'http2',
    heading: 'Frames and header sections of HTTP/2',
    only: {
      '2': [
        ...hows('head', 'how', ['uppercase', 'connection-field', 'no-status', 'late-pseudo']),
        // The end of the connection comes later, or a client may report that in place of the frame.
        ...BROKEN_FRAMES.map((frame) => get(`/fault/garbage?frame=${frame}&for=0.3`)),
        get('/fault/rst-stream?code=INTERNAL_ERROR'),
        get('/fault/rst-stream?code=NO_ERROR'),
        get('/fault/rst-stream?code=4660'),
        get('/padded-headers', { origin: 'frames', label: 'Padded HEADERS' }),
        get('/padded-data', { origin: 'frames', label: 'Padded DATA' }),
        get('/padding-alone', { origin: 'frames', label: 'DATA of padding alone' }),
        get('/empty-data', { origin: 'frames', label: 'DATA without content, 100 times' }),
        get('/continuation', { origin: 'frames', label: 'HEADERS in 20 CONTINUATION frames' }),
      ],
    },
  },
  {
    name: 'sections',
    heading: 'Large header sections',
    both: [get('/fault/head?how=size&bytes=65536'), get('/fault/head?how=count&fields=500')],
  },
  {
    name: 'lengths',
    heading: 'Responses without content',
    ...emptyCases,
  },
  {
    name: 'again',
    heading: 'Requests that fail once',
    both: [
      get(once('fault=close@start')),
      post(once('fault=close@start')),
      get('/healthz', { next: `GET ${once('fault=close@start')}` }),
      get('/healthz', { next: `POST ${once('fault=close@start')}` }),
      get('/healthz', { next: `GET ${once('fault=reset@start')}` }),
      get(once('status=503')),
      get(once('status=429%26header=Retry-After:0')),
      get(once('status=408')),
      get(once('status=421')),
      get(once('status=425')),
    ],
    only: {
      '2': [
        get(once('fault=rst-stream@start,code=REFUSED_STREAM')),
        post(once('fault=rst-stream@start,code=REFUSED_STREAM')),
        get('/healthz', { next: `GET ${once('fault=rst-stream@start,code=REFUSED_STREAM')}` }),
        get('/fault/rst-stream?code=REFUSED_STREAM&at=start'),
        get(once('fault=rst-stream@start,code=HTTP_1_1_REQUIRED')),
        get(once('fault=rst-stream@start,code=ENHANCE_YOUR_CALM')),
        get(once('fault=goaway@start,last=previous,then=close')),
        post(once('fault=goaway@start,last=previous,then=close')),
        get('/healthz', { next: `GET ${once('fault=goaway@start,last=previous,then=close')}` }),
      ],
    },
  },
  {
    name: 'goaway',
    heading: 'GOAWAY and limits of streams',
    only: {
      '2': [
        get('/fault/goaway?last=this&then=finish', { next: 'GET /healthz' }),
        get('/fault/goaway?last=this&then=close', { next: 'GET /healthz' }),
        get('/fault/goaway?last=zero&at=start', { next: 'GET /healthz' }),
        get('/fault/goaway?last=max&then=finish', { next: 'GET /healthz' }),
        get('/fault/goaway?code=ENHANCE_YOUR_CALM&debug=slow+down', { next: 'GET /healthz' }),
        get('/h2/settings?max_concurrent_streams=0', { isEcho: true, next: 'GET /healthz' }),
        get('/served', {
          origin: 'no streams',
          label: 'MAX_CONCURRENT_STREAMS of 0, raised after 0.5 s',
        }),
        get('/lowered', {
          origin: 'frames',
          next: 'GET /served',
          label: 'The same after a response',
        }),
      ],
    },
  },
  {
    name: 'interim',
    heading: 'Interim responses',
    both: [
      interim('100'),
      interim('102'),
      interim('103?link=%3C/a.css%3E'),
      interim('199'),
      interim('103,103'),
      interim('103?count=50'),
    ],
  },
  {
    name: 'expect',
    heading: 'Early responses, and `Expect: 100-continue`',
    both: [
      expecting('delay=1'),
      expecting('then=ignore'),
      // In the meantime arrives the content of a client that does not wait.
      expecting('then=refuse&delay=0.05'),
      expecting('then=final&status=401&delay=0.05'),
      post('/early?status=413&after=65536&then=read', LARGE),
      post('/early?status=413&after=65536&then=close', LARGE),
    ],
    only: { '2': [post('/early?status=413&after=65536&then=stop', LARGE)] },
  },
  { name: 'codings', heading: 'Trailers and content codings', ...codingCases },
];

/** The rows of a group for a client that speaks some versions, with those versions of each row. */
export function rowsOf(
  { both = [], only = {} }: Group,
  versions: readonly Version[],
): readonly (readonly [Case, readonly Version[]])[] {
  return [
    ...both.map((each) => [each, versions] as const),
    ...versions.flatMap((version) =>
      (only[version] ?? []).map((each) => [each, [version]] as const),
    ),
  ];
}
