import { createHash } from 'node:crypto';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, valueOf, type RequestMessage } from '../message.ts';
import { uploadOf } from '../origin.ts';
import type { Remedy } from '../remedy.ts';
import type { Echo, Session } from '../session.ts';
import { counted } from '../words.ts';
import { KiB, LARGE_TIME_FACTOR } from './bounds.ts';
import { contentForwarding } from './content-forwarding.ts';
import { withoutEcho } from './received.ts';

const CONTENT = { section: 'RFC 9110 6.4', level: 'must', risk: 'data-loss' } as const;

function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = at * 31 + (at >> 8);
  return bytes;
}

/** A check that an upload of this length arrives unchanged. */
function uploadArrives(id: `content/${string}`, length: number, framing: Framing): TopicCheck {
  const declared = framing === 'chunked' ? 'without' : 'with';
  return {
    id,
    rule: `Request content of ${counted(length, 'byte')}, ${declared} Content-Length, is forwarded unchanged.`,
    async run(session) {
      const content = pattern(length);
      const request = {
        method: 'POST',
        content,
        framing,
        fields: [['Content-Type', 'application/octet-stream']],
      } as const;
      const echo = await session.echo(request, { isLarge: true });
      const { status } = echo.transfer.response ?? {};
      if (status === 411 && framing === 'chunked') {
        return differs('411: a length is required (RFC 9110 15.5.12)', echo.transfer);
      }
      if (status === 413) {
        return differs(
          '413: the content is larger than the limit (RFC 9110 15.5.14)',
          echo.transfer,
        );
      }
      if (echo.received)
        return expectSame(digestOf(content), digestOf(echo.received.content), echo.transfer);
      return (await hasArrivedWhole(session, echo, content))
        ? fail('a complete echo', `the content arrives; ${withoutEcho(echo)}`, echo.transfer)
        : fail('the content arrives', withoutEcho(echo), echo.transfer);
    },
  };
}

/** Whether the journal of the origin, if there is one, has exactly this content, with its end. */
async function hasArrivedWhole(session: Session, { tag }: Echo, content: Buffer): Promise<boolean> {
  if (!session.met.has('journal')) return false;
  const entries = await session.arrived(tag);
  return entries.some(
    ({ content: { octets, sha256, complete } }) =>
      complete && digestText(octets, sha256) === digestOf(content),
  );
}

/** Bytes of uploads: each is the first above a common limit. */
const BEYOND = [4, 8, 16, 32, 64, 128, 256, 1024].map((size) => size * KiB + 1);
/** The same for checks that take long. */
const FAR_BEYOND = [16, 64].map((size) => size * KiB * KiB + 1);

type Framing = NonNullable<RequestMessage['framing']>;

/** Uploads content, and compares what `/upload` says of it. */
async function judgeUpload(
  session: Session,
  length: number,
  framing: Framing,
  isSlow: boolean,
): Promise<Verdict> {
  const content = pattern(length);
  const fields = [['Content-Type', 'application/octet-stream']] as const;
  const request = { method: 'POST', target: '/upload', content, framing, fields } as const;
  // Some targets send WINDOW_UPDATE for each frame, which adds up to more than the client receives by default.
  const options = { isLarge: isSlow, ...(isSlow && { time: LARGE_TIME_FACTOR * session.time }) };
  const transfer = await session.send(request, options);
  const { status } = transfer.response ?? {};
  const upload = uploadOf(transfer.response);
  const sent = counted(length, 'byte');
  if (upload) {
    const found = digestText(upload.bytes_received, upload.sha256);
    return expectSame(digestOf(content), found, transfer);
  }
  if (status === 411 && framing === 'chunked')
    return differs('411: a length is required (RFC 9110 15.5.12)', transfer);
  return status === 413
    ? differs(`413: ${sent} are more than the limit (RFC 9110 15.5.14)`, transfer)
    : fail(`${sent} arrive`, outcomeOf(transfer), transfer);
}

/** A check that uploads of these lengths arrive unchanged. */
function uploadsArrive({
  lengths,
  framings,
  ...rule
}: FamilyRule & {
  readonly lengths: readonly number[];
  readonly framings: readonly Framing[];
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const isSlow = rule.isSlow === true;
      const uploads = framings.flatMap((framing) =>
        lengths.map((length) => () => judgeUpload(session, length, framing, isSlow)),
      );
      const verdicts: Verdict[] = [];
      if (isSlow) for (const send of uploads) verdicts.push(await send());
      else verdicts.push(...(await Promise.all(uploads.map((send) => send()))));
      const of = (wanted: Verdict['outcome']): Verdict | undefined =>
        verdicts.find(({ outcome }) => outcome === wanted);
      return of('fail') ?? of('differs') ?? pass();
    },
  };
}

/** Bytes of which each takes six in the echo, twice: the response is as large as the origin sends any. */
const ESCAPED = 2 * KiB * KiB;

/** Control characters without an escape of their own in JSON. Their order does not repeat within a MiB. */
function controlCharacters(length: number): Buffer {
  return Buffer.from(pattern(length).map((byte) => (byte % 7) + 1));
}

/** A check that a response of this length comes back unchanged. */
function downloadArrives(id: `content/${string}`, length: number): TopicCheck {
  return {
    id,
    rule: `Response content of ${counted(length, 'byte')} is forwarded unchanged.`,
    async run(session) {
      const transfer = await session.send({ target: `/range/${length}` }, { isLarge: true });
      const expected = Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz');
      const { content = Buffer.alloc(0) } = transfer.response ?? {};
      if (transfer.ending !== 'complete')
        return fail('a complete response', transfer.ending, transfer);
      const verdict = expectSame(digestOf(expected), digestOf(content), transfer);
      const { status } = transfer.response ?? {};
      return verdict.outcome === 'pass' && status !== 200
        ? differs(`the content, with ${status} in place of 200`, transfer)
        : verdict;
    },
  };
}

const inKiB = (lengths: readonly number[]): string =>
  `${lengths.map((length) => Math.floor(length / KiB).toLocaleString('en')).join(', ')} KiB`;

const digestOf = (content: Buffer): string =>
  digestText(content.length, createHash('sha256').update(content).digest('hex'));

const digestText = (octets: number, sha256: string): string =>
  `${counted(octets, 'byte')}, SHA-256 ${sha256.slice(0, 16)}`;

/** Methods and lengths of requests with a Content-Length. */
const WITH_LENGTH = [
  ['POST', 7],
  ['PUT', 7],
  ['POST', 16 * KiB],
  ['POST', 0],
] as const;

/** What proxies rewrite in HTML. Without markup, which the origin would escape. */
const URLS = [
  'http://localhost/',
  'http://127.0.0.1/',
  'http://www.example/',
  'https://www.example/',
  'ws://www.example/',
  '//www.example/',
];

const LARGE_CONTENT: Remedy = {
  advice: 'Raise the limit of request content to what your clients send.',
  directives: { nginx: [['server', 'client_max_body_size 64m;']] },
};

/** Content in both directions (RFC 9110 6.4, RFC 9112 6). */
export const contentChecks = topic(CONTENT, [
  uploadArrives('content/upload-1', 1, 'length'),
  uploadArrives('content/upload-16k', 16 * KiB, 'length'),
  uploadArrives('content/upload-1m', 1024 * KiB, 'length'),
  uploadsArrive({
    id: 'content/upload-lengths',
    remedy: LARGE_CONTENT,
    rule: `Request content of a byte more than ${inKiB(BEYOND)}, with Content-Length, is forwarded unchanged.`,
    lengths: BEYOND,
    framings: ['length'],
  }),
  uploadsArrive({
    id: 'content/upload-unknown-length',
    remedy: LARGE_CONTENT,
    rule: `Request content of a byte more than ${inKiB(BEYOND)}, in many chunks, is forwarded unchanged.`,
    lengths: BEYOND,
    framings: ['chunked'],
  }),
  uploadsArrive({
    id: 'content/upload-large',
    rule: `Request content of a byte more than ${inKiB(FAR_BEYOND)}, with Content-Length and without, is forwarded unchanged.`,
    isSlow: true,
    lengths: FAR_BEYOND,
    framings: ['length', 'chunked'],
  }),
  uploadArrives('content/upload-empty-unknown-length', 0, 'chunked'),
  downloadArrives('content/download-0', 0),
  downloadArrives('content/download-1', 1),
  downloadArrives('content/download-16k', 16 * KiB),
  downloadArrives('content/download-10m', 10 * KiB * KiB),
  {
    id: 'content/download-24m',
    rule: 'Response content of 24 MiB is forwarded unchanged.',
    isSlow: true,
    async run(session) {
      const content = controlCharacters(ESCAPED);
      const options = { time: LARGE_TIME_FACTOR * session.time, isLarge: true };
      const echo = await session.echo({ method: 'POST', content }, options);
      const { transfer, received } = echo;
      if (transfer.response?.status === 413)
        return notApplicable(`an upload of ${inKiB([ESCAPED])} is refused with 413`);
      if (!received) return fail('a complete echo', withoutEcho(echo), transfer);
      return expectSame(digestOf(content), digestOf(received.content), transfer);
    },
  },
  {
    id: 'content/download-urls',
    section: 'RFC 9110 7.7',
    rule: 'URLs in HTML are forwarded unchanged, of the target and of others.',
    level: 'quality',
    risk: 'interop',
    async run(session) {
      const { authority } = session.target;
      const text = [`http://${authority}/`, ...URLS].join('\n');
      const target = `/base64/${Buffer.from(text).toString('base64url')}?content-type=text/html`;
      const transfer = await session.send({ target });
      const { status, content } = transfer.response ?? {};
      if (status !== 200) return fail('200', outcomeOf(transfer), transfer);
      return expectSame(text, String(content), transfer);
    },
  },
  contentForwarding('GET', 'RFC 9110 9.3.1'),
  contentForwarding('DELETE', 'RFC 9110 9.3.5'),
  contentForwarding('OPTIONS', 'RFC 9110 9.3.7'),
  {
    id: 'content/length-kept',
    section: 'RFC 9110 8.6',
    rule: 'A request with Content-Length is forwarded with Content-Length.',
    level: 'quality',
    risk: 'interop',
    async run(session) {
      for (const [method, length] of WITH_LENGTH) {
        const echo = await session.echo({ method, content: pattern(length) });
        if (!echo.received) return fail('the content arrives', withoutEcho(echo), echo.transfer);
        const found = valueOf(echo.received.fields, 'content-length');
        if (found === String(length)) continue;
        const words = `${method} with ${counted(length, 'byte')}: ${found ?? 'without a length'}`;
        return differs(words, echo.transfer);
      }
      return pass();
    },
  },
]);
