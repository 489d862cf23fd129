import { setTimeout as pause } from 'node:timers/promises';
import { checksOf } from './catalogue/all.ts';
import { OBSERVATIONS } from './observation.ts';
import { TOPICS, type Check, type Level, type Risk, type Topic } from './check.ts';
import { FRONTS, NEEDS, type FrontName } from './front.ts';
import type { Transfer } from './message.ts';
import type { CheckOptions } from './options.ts';
import { startOrigin } from './own-origin.ts';
import { PROFILE_NAMES } from './profile.ts';
import { repeatCommand } from './repeat.ts';
import { evidenceLines } from './report/evidence.ts';
import { remedyLines } from './report/remedy-words.ts';
import { directivesOf } from './report/shown-remedy.ts';
import { Session } from './session.ts';
import { Target } from './target.ts';
import { Turns } from './turns.ts';

const LEVEL_MEANING: Readonly<Record<Level, string>> = {
  must: 'an RFC requires it; a finding makes the exit code 1',
  should: 'an RFC recommends it; findings count with --strict',
  quality: 'users expect it beyond the RFCs; findings count with --fail-on must,quality',
  info: 'a fact, which is never a finding',
};

const RISK_MEANING: Readonly<Record<Risk, string>> = {
  security: 'an attacker could use it',
  'data-loss': 'messages are lost, repeated or changed',
  interop: 'clients or origins that keep to the rules fail',
  latency: 'clients wait longer, or connections and work are wasted',
};

/** For each topic, what its checks look at to judge. */
const JUDGED: Readonly<Record<Topic, string>> = {
  framing: 'whether the request is refused, or what of it the origin receives',
  hop: 'the fields that the origin receives; of a response, those that the client receives',
  field: 'the fields that the origin receives',
  cookie: 'Cookie as the origin receives it, Set-Cookie as the client does',
  target:
    'the target that the origin receives, or whether the request is refused; for target/prefix-location, Location',
  host: 'the host that the origin receives, or whether the request is refused',
  forwarding: 'the fields that the origin receives',
  method: 'the method that the origin receives, and the response',
  expect: 'the interim and the final response, and whether the content is sent before them',
  interim: 'the interim and the final responses that the client receives',
  response: 'status, fields and content that the client receives',
  coding: 'content and fields of the response that the client receives',
  cache: 'which requests reach the origin, by its journal, and the responses',
  trailer: 'the trailers and fields that the origin receives, or the client',
  content: 'length and digest of the content that arrives',
  truncation: 'how the response ends for the client',
  origin: 'what the client receives if the response of the origin is malformed or missing',
  retry: 'how many times the request reaches the origin, by its journal',
  connection: 'the responses, and whether the connection stays open',
  backend: 'the connections on which the origin receives the requests',
  idle: 'the responses after connections were idle or closed by the origin',
  drain: 'the responses while the origin drains, stops and serves again',
  cancel: 'how the request ends at the origin, by its journal',
  streaming: 'when the first bytes arrive',
  backpressure: 'how many bytes the target takes, and whether other streams and clients are served',
  flow: 'whether the target keeps to windows and SETTINGS of the origin, and acknowledges its frames',
  goaway: 'the responses before and after GOAWAY of the origin',
  h2: 'whether what is malformed ends in an error, and what is valid is served',
  tls: 'the handshake; for tls/origin*, what the origin sees of the handshake of the target',
  'client-certificate': 'the fields about the certificate that the origin receives',
  'proxy-protocol': 'whether the connection is served, and which address the origin receives',
  upgrade: 'the fields that the origin receives, and the response',
  websocket: 'the response to the handshake, and what follows it',
  grpc: 'fields, messages and trailers that arrive, and when',
  limit: 'the greatest size that is forwarded',
  tunnel: 'whether the bytes that arrive are those that were sent',
};

/** Number of transfers that `explain` shows of a check. */
const MAX_TRANSFERS = 3;
/** Limits in milliseconds for a transfer and for a check that is run against an origin directly. */
const TRANSFER_TIME = 1000;
const CHECK_TIME = 4000;

/**
 * Explains a check: its purpose, what it sends and how it judges.
 *
 * @param program how the user has called the command
 */
export async function explain(check: Check, program: string): Promise<string> {
  const { id, section, rule, level, risk, needs = [], observes = 'arrival', after } = check;
  const { fronts = FRONTS } = check;
  const [front = 'http/1.1'] = fronts;
  const needed: string[] = needs.map((need) => `${need}: ${NEEDS[need].meaning}`);
  if (check.isDestructive === true)
    needed.push('--destructive: it could harm the requests of others');
  if (check.isSlow === true) needed.push('--slow: it takes minutes');
  return [
    id,
    ...labelled('rule', rule),
    ...labelled('section', section),
    ...labelled('level', `${level}: ${LEVEL_MEANING[level]}`),
    ...labelled('risk', `${risk}: ${RISK_MEANING[risk]}`),
    ...labelled('fronts', fronts.join(', ')),
    ...labelled('profiles', profilesWith(check).join(', ')),
    ...labelled('needs', ...(needed.length === 0 ? ['nothing'] : needed)),
    ...labelled('after', after?.join(', ') ?? 'no other check'),
    ...labelled('sent', ...(front ? await sentLines(check, front) : [])),
    ...labelled('judged', JUDGED[topicOf(check)]),
    ...labelled('observed', OBSERVATIONS[observes]),
    ...labelled('finding', ...findingLines(check)),
    ...labelled('to do', ...toDoLines(check)),
    ...labelled('repeat', repeatCommand(program, 'URL', id, requiredOptions(check))),
    '',
  ].join('\n');
}

function requiredOptions({
  isDestructive = false,
  isSlow = false,
  needs = [],
}: Check): Partial<CheckOptions> {
  return {
    destructive: isDestructive,
    slow: isSlow,
    ...(needs.includes('client-certificate') && { cert: 'FILE', key: 'FILE' }),
    ...(needs.includes('proxy-protocol') && { proxyProtocol: 'v2' }),
    ...(needs.includes('control') && { serve: 9000 }),
  };
}

function profilesWith({ id }: Check): string[] {
  return PROFILE_NAMES.filter((profile) => checksOf(profile).some((each) => each.id === id));
}

/** Lines of text, the first one after the label; none without lines. */
function labelled(label: string, ...lines: readonly string[]): string[] {
  return lines.map((line, at) => `  ${(at === 0 ? label : '').padEnd(10)}${line}`.trimEnd());
}

function topicOf({ id }: Check): Topic {
  const topic = TOPICS.find((each) => id.startsWith(`${each}/`));
  if (!topic) throw new Error(`${id} has no topic`);
  return topic;
}

function toDoLines({ remedy }: Check): string[] {
  if (!remedy) return [];
  const { advice, directives } = remedy;
  return remedyLines({ advice, directives: directivesOf(directives) });
}

function findingLines({ level, id }: Check): string[] {
  if (level === 'info') {
    return ['none; the outcome is `pass`, or `differs` with what the target does'];
  }
  return [
    `fail  ${level}  ${id}  FRONT  FOUND (expected: EXPECTED)`,
    'then all that was sent and received',
  ];
}

/** Runs a check directly against an origin in this process. @returns what it sent and received */
async function exampleTransfers(check: Check, front: FrontName): Promise<readonly Transfer[]> {
  const { needs = [] } = check;
  const prefix = needs.includes('removed-prefix') ? '/api' : '';
  const origin = await startOrigin(0, prefix);
  const isSecure = needs.includes('tls') || needs.includes('client-certificate');
  const target = new Target({
    url: new URL(`${isSecure ? 'https' : 'http'}://${origin.url.host}${prefix}`),
    origins: [origin.url],
    control: origin.control,
    insecure: true,
    ...(needs.includes('proxy-protocol') && { proxyProtocol: 'v1' }),
  });
  const session = new Session(target, front, TRANSFER_TIME, new Turns(0));
  const late = new AbortController();
  try {
    // The verdict is ignored: an origin is no intermediary.
    const verdict = check.run(session).catch(() => undefined);
    const { signal } = late;
    await Promise.race([verdict, pause(CHECK_TIME, undefined, { signal }).catch(() => undefined)]);
  } finally {
    late.abort();
    session.close();
    await origin.close();
  }
  return session.transfers;
}

async function sentLines(check: Check, front: FrontName): Promise<string[]> {
  if (check.isSlow === true) return ['see --trace: what is sent takes minutes'];
  const transfers = await exampleTransfers(check, front);
  const shown = transfers
    .slice(0, MAX_TRANSFERS)
    .flatMap(({ sent }, at) => (at === 0 ? [] : ['']).concat(evidenceLines(sent, front)));
  const more = transfers.length - MAX_TRANSFERS;
  return more > 0 ? [...shown, `… ${more} requests more`] : shown;
}
