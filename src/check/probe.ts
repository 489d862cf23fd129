import { isConnectError } from './client/connect.ts';
import { FRONTS, type FrontName, type Need } from './front.ts';
import { CALL } from './grpc-message.ts';
import { countInstances } from './instance-count.ts';
import { JournalGap } from './instances.ts';
import { valueOf, valuesOf, type Transfer } from './message.ts';
import { meaningOf } from './response-meaning.ts';
import { cachedPath, newTag, receivedOf, TAG, tagged, versionOf, type Received } from './origin.ts';
import type { Target } from './target.ts';
import { addressOf } from './path-prefix.ts';
import { isTunnel } from './tunnel-probe.ts';
import { isUnjudged } from './unjudged.ts';
import { errorText } from '../net/error-text.ts';

/** What is known of a target before its checks are run. */
export interface Facts {
  /** The protocols that the target offers. */
  readonly fronts: readonly FrontName[];
  /** Server and Via in responses of the target. */
  readonly server: string | undefined;
  readonly via: string | undefined;
  /** What other fields of such a response mean: see `meaningOf()`. */
  readonly meaning: readonly string[];
  /** The TLS version, and the protocol selected by ALPN of h2 and http/1.1; undefined without TLS. */
  readonly tls: { readonly version: string; readonly alpn: string | undefined } | undefined;
  /** SETTINGS of the target by identifier; undefined without HTTP/2. */
  readonly settings: ReadonlyMap<number, number> | undefined;
  /** What the origin received for each protocol of the client. A tunnel forwards both. */
  readonly origins: ReadonlyMap<FrontName, Received>;
  /** The version of wirebin at the origin, and its instance name if it has one. */
  readonly wirebin: string;
  /** Number of wirebin instances that have answered; 0 if their responses do not identify them. */
  readonly instances: number;
  /** Whether the target forwards bytes, not messages. */
  readonly isTunnel: boolean;
  /** Whether the target reuses a response for another query: what it answers may be that to another request. */
  readonly ignoresQuery: boolean;
  readonly pooling: Pooling;
  readonly met: Readonly<Record<FrontName, ReadonlySet<Need>>>;
}

/** How requests of clients share connections to the origin. */
export type Pooling = 'one connection for each request' | 'a connection for each client' | 'pooled';

/** The target cannot be checked. The message says what to do; the exit code is 3. */
export class NotTestable extends Error {}

/**
 * Finds out what the target is.
 *
 * @param time limit of each transfer, in milliseconds
 * @throws NotTestable
 */
export async function probe(target: Target, time: number): Promise<Facts> {
  try {
    return await factsOf(target, time);
  } catch (error) {
    if (!isUnjudged(error)) throw error;
    throw new NotTestable(`the target answers no longer: ${errorText(error)}`, { cause: error });
  }
}

async function factsOf(target: Target, time: number): Promise<Facts> {
  const answers = new Map<FrontName, Transfer>();
  const origins = new Map<FrontName, Received>();
  let problem: string | undefined;
  for (const front of FRONTS) {
    const tag = `check-probe-${front === 'h2' ? 2 : 1}-${Date.now().toString(36)}`;
    try {
      const transfer = await target.get(front, `/anything/${tag}`, tag, time);
      const received = receivedOf(transfer, tag);
      if (received) {
        origins.set(front, received);
        target.instances.saw(received.process);
        answers.set(front, transfer);
      } else problem ??= noEcho(transfer);
    } catch (error) {
      const failure = connectFailure(error);
      if (failure !== undefined) throw new NotTestable(`cannot connect to the target: ${failure}`);
      problem ??= handshakeText(error);
    }
  }
  const [[front, first] = []] = answers;
  const [origin] = origins.values();
  if (!origin || !first || !front) {
    const hint =
      'and point the target at it, or use --serve PORT and point the target at that port';
    throw new NotTestable(notWirebin(target, problem, hint));
  }
  const fields = first.response?.fields ?? [];
  const fronts = [...answers.keys()];
  await countInstances(target, fronts, time);
  const isForwardingBytes = await isTunnel(target, fronts, time);
  const reuse = await reuseOf(target, front, time);
  return {
    fronts,
    server: valueOf(fields, 'server'),
    via: valueOf(fields, 'via'),
    meaning: meaningOf(first.response),
    tls: await tlsOf(target, time),
    settings: answers.has('h2') ? await settingsOf(target, time) : undefined,
    origins,
    wirebin: await wirebinOf(target, front, time),
    isTunnel: isForwardingBytes,
    ignoresQuery: reuse.ignoresQuery,
    pooling: await poolingOf(target, front, time),
    met: await needsByFront(target, front, origins, { isForwardingBytes, ...reuse }, time),
    instances: target.instances.count,
  };
}

/** Why no TCP connection was opened; undefined for another error, such as of TLS. */
export function connectFailure(error: unknown): string | undefined {
  if (error instanceof AggregateError) return error.errors.map(errorText).join(', ');
  const isTimeout = error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
  return isTimeout || isConnectError(error) ? errorText(error) : undefined;
}

/** Bytes shown of data that is no HTTP response. */
const MAX_SHOWN = 60;

export function handshakeText(error: unknown): string {
  const text = errorText(error);
  // Messages of OpenSSL contain memory addresses, and end with a line end.
  const [, reason] = /:SSL routines:[^:]*:([^:]+)/.exec(text) ?? [];
  if (reason === undefined) return text;
  const isOther = reason === 'wrong version number';
  return `${isOther ? 'it does not speak TLS' : 'the TLS handshake failed'} (${reason})`;
}

export function noEcho({ response, received, ending }: Transfer): string {
  if (!response) {
    const but = received === '' ? '' : `, but "${received.slice(0, MAX_SHOWN).trim()}"`;
    return `no response (${ending})${but}`;
  }
  return `${response.status} from ${valueOf(response.fields, 'server') ?? 'a server without a name'}`;
}

/** The error text for a target that does not lead to wirebin. @param hint how to start a wirebin behind the target */
export function notWirebin({ url }: Target, problem: string | undefined, hint: string): string {
  // OpenSSL and Node use this word if a certificate is not accepted.
  if (problem !== undefined && /certificate/i.test(problem)) {
    return `${addressOf(url)}: ${problem}. Name its CA by --cacert FILE, or accept any certificate by -k`;
  }
  return `${addressOf(url)} does not lead to a wirebin: ${problem ?? 'no response'}. Start one with \`wirebin\` ${hint}`;
}

async function tlsOf(target: Target, time: number): Promise<Facts['tls']> {
  if (!target.isSecure) return undefined;
  const { tls } = await target.connect(time, { alpn: ['h2', 'http/1.1'] });
  const facts = tls && {
    version: tls.getProtocol() ?? 'unknown',
    alpn: tls.alpnProtocol || undefined,
  };
  tls?.destroy();
  return facts;
}

async function settingsOf(target: Target, time: number): Promise<Facts['settings']> {
  const client = await target.openHttp2(time);
  const { settings } = client;
  client.close();
  return settings;
}

async function wirebinOf(target: Target, front: FrontName, time: number): Promise<string> {
  const { response } = await target.get(front, '/version', 'check-version', time);
  const { version = 'unknown', instance } = versionOf(response) ?? {};
  return instance === undefined ? version : `${version}, ${instance}`;
}

/**
 * Sends requests on one connection and then on another. With several instances it sends more: a target that balances
 * requests may use a connection to each instance before it reuses one.
 */
async function poolingOf(target: Target, front: FrontName, time: number): Promise<Pooling> {
  const requests = target.instances.count > 1 ? 3 * target.instances.count + 1 : 2;
  let pooling: Pooling = 'one connection for each request';
  for (let clients = 0; clients < 2; clients++) {
    const client = await target.open(front, time);
    /** How many requests of this client came on each connection to the origin. */
    const counts = new Map<string, number>();
    for (let number = 0; number < requests; number++) {
      const tag = `check-pool-${clients}-${number}`;
      const transfer = await client.send(tagged(tag, { target: `/anything/${tag}` }), { time });
      const received = receivedOf(transfer, tag);
      if (received) {
        const { connection, requestNumber } = received;
        const count = (counts.get(connection) ?? 0) + 1;
        counts.set(connection, count);
        // HAProxy opens a connection for the first request of each client, and takes an idle one for the next: a
        // connection is seen again only by what the origin counts on it.
        if (requestNumber > count) pooling = 'pooled';
        else if (count > 1 && pooling !== 'pooled') pooling = 'a connection for each client';
      }
      if (!transfer.isReusable) break;
    }
    client.close();
  }
  return pooling;
}

async function needsByFront(
  target: Target,
  front: FrontName,
  origins: ReadonlyMap<FrontName, Received>,
  { isForwardingBytes, hasCache }: { isForwardingBytes: boolean; hasCache: boolean },
  time: number,
): Promise<Facts['met']> {
  const [origin] = origins.values();
  const common: Need[] = [];
  if (!isForwardingBytes) common.push('gateway');
  if (target.prefix === '') common.push('root');
  else if (origin?.isBelowPrefix === false) common.push('removed-prefix');
  if (target.isSecure) common.push('tls');
  if (origin?.tls) common.push('tls-origin');
  if (target.isSecure && target.certificate) common.push('client-certificate');
  if (target.proxyProtocol) common.push('proxy-protocol');
  if (origin?.proxyProtocol) common.push('proxy-origin');
  const [tag = ''] = valuesOf(origin?.fields ?? [], TAG);
  if (await hasJournal(target, tag, time)) common.push('journal');
  if (await endpointExists(target, front, '/fault/close?at=end', time)) common.push('faults');
  if (await endpointExists(target, front, '/raw?base64=', time)) common.push('raw');
  if (hasCache) common.push('cache');
  if (target.isDrainable) common.push('control');
  const metBy = (side: FrontName): ReadonlySet<Need> => {
    const version = (origins.get(side) ?? origin)?.version;
    if (version === 'HTTP/2.0')
      return new Set([...common, 'h2-origin', 'grpc-origin', 'interim-origin']);
    const interim: Need[] = version === 'HTTP/1.0' ? [] : ['interim-origin'];
    return new Set([...common, 'http1-origin', ...interim]);
  };
  const isMixed = origins.get('h2')?.version === 'HTTP/1.1' && (await callsByHttp2(target, time));
  return {
    'http/1.1': metBy('http/1.1'),
    h2: isMixed ? new Set([...metBy('h2'), 'grpc-origin']) : metBy('h2'),
  };
}

/** Whether the origin receives a call of gRPC on HTTP/2, by a gateway that sends it other requests on HTTP/1.1. */
async function callsByHttp2(target: Target, time: number): Promise<boolean> {
  const tag = newTag();
  const client = await target.openHttp2(time);
  const message = tagged(tag, { ...CALL, target: `/anything/${tag}` });
  const transfer = await client.send(message, { time });
  client.close();
  return receivedOf(transfer, tag)?.version === 'HTTP/2.0';
}

/**
 * Whether the journal shows what arrives. With several instances, a journal that cannot be read blocks checks instead.
 *
 * @throws NotTestable if a given origin has no journal, or nothing listens there
 */
async function hasJournal(target: Target, tag: string, time: number): Promise<boolean> {
  try {
    return (await target.journal(tag, time)).length > 0;
  } catch (error) {
    if (error instanceof JournalGap) return true;
    const failure = connectFailure(error);
    if (failure !== undefined)
      throw new NotTestable(`cannot connect to the origin past the target: ${failure}`);
    if (!target.hasOrigins) return false;
    throw new NotTestable(`--origin leads to no wirebin with a journal: ${handshakeText(error)}`);
  }
}

/** Whether the target answers a request with the response to a previous one, and also one with another query. */
async function reuseOf(
  target: Target,
  front: FrontName,
  time: number,
): Promise<{ readonly hasCache: boolean; readonly ignoresQuery: boolean }> {
  const path = cachedPath();
  const tag = newTag();
  await target.get(front, `${path}?key=${tag}`, tag, time);
  const reuses = async (key: string): Promise<boolean> =>
    receivedOf(await target.get(front, `${path}?key=${key}`, newTag(), time), tag) !== undefined;
  const hasCache = await reuses(tag);
  return { hasCache, ignoresQuery: hasCache && (await reuses(newTag())) };
}

async function endpointExists(
  target: Target,
  front: FrontName,
  path: string,
  time: number,
): Promise<boolean> {
  const { response, ending } = await target.get(front, path, 'check-exists', time);
  return response === undefined ? ending !== 'timeout' : response.status !== 404;
}
