/** A request for a fault, as a row of the tables in docs/measured/faults.md. */
export interface Case {
  /** The path and query, without the common parameters of all cases. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** Bytes of content. */
  readonly length: number;
  /** Whether it needs TLS; otherwise HTTP/1.1 is tried in cleartext. */
  readonly tls: boolean;
}

function get(path: string, tls = false): Case {
  return { path, method: 'GET', length: 0, tls };
}

/** More content than a connection buffers. */
const LARGE = 8 * 1024 * 1024;
/** More content than a window of HTTP/2, in less than the time limit of a client that waits for each WINDOW_UPDATE. */
const SEVERAL_WINDOWS = 1024 * 1024;

function post(path: string, length: number): Case {
  return { path, method: 'POST', length, tls: false };
}

const hows = (kind: string, parameter: string, words: readonly string[]): Case[] =>
  words.map((word) => get(`/fault/${kind}?${parameter}=${word}`));

const both = [
  get('/fault/close?at=start'),
  get('/fault/close?at=headers'),
  get('/fault/close'),
  get('/fault/close?at=end'),
  get('/fault/reset?at=start'),
  get('/fault/reset'),
  get('/fault/truncate-tls', true),
  get('/fault/stall?for=1'),
  get('/fault/content-length?declared=10240&sent=5120'),
  get('/fault/content-length?declared=5120&sent=10240'),
  get('/fault/garbage'),
  post('/fault/no-read?after=1024&for=1', SEVERAL_WINDOWS),
  get('/informational/103?link=%3C/a.css%3E'),
  get('/informational/199'),
  post('/early?status=413&after=65536&then=read', LARGE),
  post('/early?status=413&after=65536&then=close', LARGE),
];

export const http1Cases: readonly Case[] = [
  ...both,
  get('/fault/close?framing=chunked'),
  get('/fault/close?framing=chunked&at=end'),
  ...hows('chunk', 'how', [
    'bad-size',
    'overflow',
    'no-crlf',
    'no-last',
    'long-extension',
    'forbidden-trailer',
  ]),
  ...hows('head', 'how', [
    'bare-lf',
    'obs-fold',
    'space-before-colon',
    'no-colon',
    'nul',
    'two-lengths',
    'length-and-chunked',
    'no-status',
    'bad-version',
  ]),
  get('/fault/head?how=size&bytes=65536'),
  get('/fault/head?how=count&fields=500'),
];

export const http2Cases: readonly Case[] = [
  ...both,
  get('/fault/rst-stream?code=INTERNAL_ERROR'),
  get('/fault/rst-stream?code=REFUSED_STREAM&at=start'),
  get('/fault/rst-stream?code=NO_ERROR'),
  get('/fault/rst-stream?code=4660'),
  get('/fault/goaway?last=this&then=finish'),
  get('/fault/goaway?last=this&then=close'),
  get('/fault/goaway?last=zero&at=start'),
  get('/fault/goaway?last=max&then=finish'),
  get('/fault/goaway?code=ENHANCE_YOUR_CALM&debug=slow+down'),
  ...hows('head', 'how', ['uppercase', 'connection-field', 'no-status', 'late-pseudo']),
  get('/fault/head?how=size&bytes=65536'),
  get('/fault/head?how=count&fields=500'),
  ...hows('garbage', 'frame', [
    'data-on-stream-0',
    'window-0',
    'window-overflow',
    'too-large',
    'unknown-type',
    'rst-idle',
    'push-promise',
    'data-after-end',
  ]),
  post('/early?status=413&after=65536&then=stop', LARGE),
];
