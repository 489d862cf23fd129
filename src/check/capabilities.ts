import { SettingId } from '../wire/http2/frame.ts';
import {
  answerOf,
  no,
  partly,
  yes,
  type Grounds,
  type Reading,
  type Said,
  type Seen,
  type SeenRun,
  type Source,
} from './capability.ts';
import { NOT_CODED } from './catalogue/coded-response.ts';
import { NO_CLIENT_ADDRESS } from './catalogue/forwarding.ts';
import type { Check } from './check.ts';

/** A question that a run answers. Its answer is derived from results and facts, and from nothing else. */
export interface Question extends Grounds {
  readonly id: string;
  readonly name: string;
}

/** A question with its answer. */
export interface Capability extends Said {
  readonly id: string;
  readonly name: string;
}

type Facts = SeenRun['facts'];
type Read = Source['read'];

/** A rule or a fact that holds if the check passes. */
const holds: Read = ({ outcome, found }) => (outcome === 'pass' ? yes() : no(found));
/** What occurs unless the check passes. */
const occurs: Read = ({ outcome, found }) => (outcome === 'pass' ? no() : yes(found));
/** A condition of the capability, which says nothing more if it holds. */
const condition: Read = ({ outcome, found }) => (outcome === 'pass' ? undefined : no(found));
/** What keeps a capability from being whole. */
const whole: Read = ({ outcome, found }) => (outcome === 'pass' ? undefined : partly(found));

/** Sources by their labels, which are read alike. */
const each = (read: Read, labels: Readonly<Record<string, Check['id']>>): Source[] =>
  Object.entries(labels).map(([label, id]) => ({ id, label, read }));
const optional = (sources: readonly Source[]): Source[] =>
  sources.map((source) => ({ ...source, isOptional: true }));

/** Bytes in words, in units that are easier to read. */
const inUnits = (words = ''): string =>
  words.replaceAll(/\b(\d{4,}) bytes/g, (_bytes, digits: string) => {
    const kib = Number(digits) / 1024;
    return kib < 1024 ? `${Number(kib.toFixed(1))} KiB` : `${Number((kib / 1024).toFixed(1))} MiB`;
  });

/** The largest size that arrived: `about` names a limit of the target, `at least` none. */
const largest: Read = ({ outcome, found }) => {
  const words = inUnits(found);
  if (outcome === 'fail') return no(words);
  return words.startsWith('about') ? partly(words) : yes(words);
};

/** Trailers of a gRPC call, of which the status is needed and must not come before the messages. */
const callTrailers: Read = ({ outcome, found = '' }) => {
  if (outcome === 'pass') return yes();
  const parts = found.split(', ').map((part) => part.split(': '));
  const missing = parts.flatMap(([name = '', value]) => (value === 'missing' ? [name] : []));
  const hasStatus = !missing.includes('grpc-status') && !found.includes('in the header section');
  const words = missing.length > 0 ? `${missing.join(', ')} missing` : found;
  return hasStatus && missing.length > 0 ? partly(words) : no(words);
};

function clientAddress({ outcome, found }: Seen): Reading {
  if (outcome === 'pass') return yes(found);
  return found === NO_CLIENT_ADDRESS ? no(found) : partly(found);
}

function originProtocol({ origins }: Facts): Said {
  const protocols = Array.from(origins, ([front, { protocol, version }]) => ({
    front,
    protocol,
    isHttp2: version === 'HTTP/2.0',
  }));
  const names = new Set(protocols.map(({ protocol }) => protocol));
  const words =
    names.size === 1
      ? [...names].join('')
      : protocols.map(({ front, protocol }) => `${protocol} for clients on ${front}`).join(', ');
  if (protocols.every(({ isHttp2 }) => !isHttp2)) return no(words);
  return protocols.every(({ isHttp2 }) => isHttp2) ? yes(words) : partly(words);
}

function reuse({ pooling }: Facts): Said {
  switch (pooling) {
    case 'pooled':
      return yes('shared by clients');
    case 'a connection for each client':
      return partly(pooling);
    case 'one connection for each request':
      return no(pooling);
  }
}

const caching = ({ met, fronts, ignoresQuery }: Facts): Said =>
  fronts.some((front) => met[front].has('cache'))
    ? yes(ignoresQuery ? 'a response is reused for other queries, too' : '')
    : no('responses are not reused');

const noTls = ({ tls }: Facts): Said | undefined =>
  tls ? undefined : { answer: 'not seen', words: 'the URL is not https' };

const noExtendedConnect = ({ settings }: Facts): Said | undefined =>
  settings && settings.get(SettingId.enableConnectProtocol) !== 1
    ? no('SETTINGS_ENABLE_CONNECT_PROTOCOL is not offered')
    : undefined;

/** An interim response; without the final one that follows it, nothing is known of others. */
const interim = (code: string, name: `interim/${string}`): Source => ({
  id: `${name}-forwarded`,
  label: code,
  read: holds,
  or: [{ id: name, read: condition }],
});

const retried = (method: 'get' | 'post'): Source[] =>
  each(occurs, {
    'after 503': `retry/${method}-503`,
    'after close': `retry/${method}-close`,
    'after reset': `retry/${method}-reset`,
  });

const WEBSOCKET: Source = {
  id: 'websocket/text',
  read: holds,
  or: [
    { id: 'websocket/h2-origin', read: holds },
    { id: 'websocket/handshake', read: condition },
    { id: 'upgrade/websocket', read: condition },
  ],
};

/** What a platform engineer wants to know of a target first, in the order of reports. */
export const QUESTIONS: readonly Question[] = [
  { id: 'origin-reuse', name: 'connections to the origin reused', sources: [], byFacts: reuse },
  { id: 'origin-http2', name: 'HTTP/2 to the origin', sources: [], byFacts: originProtocol },
  {
    id: 'post-retried',
    name: 'POST retried',
    isRisk: true,
    sources: [
      ...retried('post'),
      { id: 'retry/post-status', label: 'after another status', read: occurs },
      { id: 'idle/stale-post', label: 'on an idle connection', read: occurs, isOptional: true },
    ],
  },
  { id: 'get-retried', name: 'GET retried', isRisk: true, sources: retried('get') },
  {
    id: 'request-trailers',
    name: 'request trailers',
    sources: [{ id: 'trailer/request', read: holds }],
  },
  {
    id: 'response-trailers',
    name: 'response trailers',
    sources: [{ id: 'trailer/response', read: holds }],
  },
  {
    id: 'interim',
    name: '1xx responses',
    sources: [interim('103', 'interim/103'), interim('102', 'interim/102')],
  },
  {
    id: 'grpc-unary',
    name: 'gRPC, unary',
    front: 'h2',
    sources: [
      { id: 'grpc/trailers', read: callTrailers },
      ...optional(
        each(condition, {
          fields: 'grpc/fields',
          metadata: 'grpc/metadata',
          deadline: 'grpc/deadline',
        }),
      ),
    ],
  },
  {
    id: 'grpc-streams',
    name: 'gRPC, streams',
    front: 'h2',
    sources: [
      ...each(holds, {
        'of the client': 'grpc/client-streaming',
        'both ways': 'grpc/bidirectional',
      }),
      ...optional(each(holds, { 'early status': 'grpc/early-status' })),
    ],
  },
  {
    id: 'grpc-status',
    name: 'gRPC, status and details',
    front: 'h2',
    sources: [
      ...each(callTrailers, { 'in trailers': 'grpc/trailers' }),
      ...optional(each(holds, { 'without messages': 'grpc/trailers-only' })),
    ],
  },
  {
    id: 'websocket-http1',
    name: 'WebSocket, HTTP/1.1',
    front: 'http/1.1',
    sources: [
      WEBSOCKET,
      ...optional(
        each(condition, {
          handshake: 'websocket/handshake',
          'bytes after 101': 'websocket/from-origin',
          'bytes with 101': 'websocket/with-101',
          frames: 'websocket/frames',
          'binary data': 'websocket/binary',
          '70,000 bytes': 'websocket/large',
          fragments: 'websocket/fragments',
          close: 'websocket/close',
        }),
      ),
    ],
  },
  {
    id: 'websocket-h2',
    name: 'WebSocket, HTTP/2',
    front: 'h2',
    byFacts: noExtendedConnect,
    sources: [
      { id: 'websocket/extended-connect', read: holds },
      ...optional(each(condition, { end: 'websocket/connect-ends' })),
    ],
  },
  {
    id: 'ranges',
    name: 'ranges',
    sources: each(holds, {
      one: 'response/range',
      several: 'response/ranges',
      'If-Range': 'response/if-range',
    }),
  },
  {
    id: 'compression',
    name: 'compression by the target',
    isRisk: true,
    sources: [
      {
        id: 'coding/intact',
        read: ({ outcome, found }) => (outcome === 'pass' ? yes(found) : partly(found)),
        readReason: (reason) => (reason === NOT_CODED ? no() : undefined),
      },
      { id: 'coding/kept', label: 'gzip of the origin', read: whole, isOptional: true },
    ],
  },
  { id: 'caching', name: 'caching by the target', sources: [], byFacts: caching },
  {
    id: 'upload-streamed',
    name: 'upload streamed',
    sources: [{ id: 'streaming/upload', read: holds }],
  },
  {
    id: 'largest-upload',
    name: 'largest upload seen',
    sources: [
      {
        id: 'limit/content',
        read: largest,
        or: [
          {
            id: 'content/upload-large',
            read: ({ outcome, found }) =>
              outcome === 'pass' ? yes('at least 64 MiB') : partly(found),
          },
          {
            id: 'content/upload-lengths',
            read: ({ outcome, found }) => {
              if (outcome === 'pass') return yes('at least 1 MiB; more with --slow');
              // A refusal names the smallest that is refused.
              return outcome === 'differs' ? partly(found) : no(found);
            },
          },
        ],
      },
    ],
  },
  {
    id: 'largest-field',
    name: 'largest field seen',
    sources: [{ id: 'limit/field', read: largest }],
  },
  {
    id: 'client-address',
    name: 'client address passed',
    sources: [
      {
        id: 'forwarding/client-address',
        read: clientAddress,
        or: [
          {
            id: 'proxy-protocol/origin-address',
            read: ({ outcome, found }) => (outcome === 'pass' ? yes('PROXY header') : no(found)),
          },
        ],
      },
    ],
  },
  {
    id: 'tls',
    name: 'TLS and ALPN',
    front: 'http/1.1',
    byFacts: noTls,
    sources: [
      ...each(holds, {
        'TLS 1.3': 'tls/version-1.3',
        'TLS 1.2': 'tls/version-1.2',
        'ALPN h2': 'tls/alpn-h2',
        'ALPN http/1.1': 'tls/alpn-http1',
      }),
      ...optional(each(whole, { 'TLS 1.0': 'tls/version-1.0', 'TLS 1.1': 'tls/version-1.1' })),
    ],
  },
];

/** The ids of the checks that a question rests on. */
export const checksFor = ({ sources }: Question): Check['id'][] =>
  sources.flatMap(({ id, or = [] }) => [id, ...or.map((other) => other.id)]);

/** What the run says of each capability. */
export const capabilitiesOf = (run: SeenRun): Capability[] =>
  QUESTIONS.map((question) => {
    const { id, name } = question;
    const { answer, words } = answerOf(question, run);
    return { id, name, answer, words };
  });
