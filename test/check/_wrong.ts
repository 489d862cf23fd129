import type { Outcome } from '../../src/check/check.ts';
import type { FieldLine } from '../../src/check/message.ts';
import type {
  ClientRequest,
  ClientResponse,
  Deviation,
  OriginRequest,
} from './_gateway-messages.ts';
import type { Careless } from './_careless-leg.ts';
import type { LegDeviation } from './_http2-leg.ts';
import type { PoolDeviation } from './_pooling-leg.ts';

/** A gateway with one fault, and the checks that tell. */
export interface WrongProxy {
  /** What it does wrong. */
  readonly name: string;
  readonly deviation: Deviation;
  /**
   * The outcome of each check that turns, on each front side that it is run on; or of one of them, with
   * `h2 ` or `http/1.1 ` before the id. Those that are blocked because one failed are not named.
   */
  readonly turns: Readonly<Record<string, Outcome>>;
  /** Whether a check waits in vain for what it does not do. */
  readonly isSilent?: boolean;
  /** Whether a check first waits until it has blocked. */
  readonly isBlocking?: boolean;
  /** Whether it also breaks checks that it does not name: those are not run. */
  readonly breaksOthers?: boolean;
  /** What it does wrong towards an origin on HTTP/2. */
  readonly leg?: LegDeviation;
  /** What it does wrong with a pool of connections to the origin. */
  readonly pool?: PoolDeviation;
  /** After what it keeps a connection to the origin that it should close. */
  readonly careless?: Careless;
  /** How it is connected. Default: cleartext on both sides. */
  readonly setup?: Setup;
}

/** How a gateway is connected to its clients and the origin. */
export interface Setup {
  readonly scheme: 'http' | 'https';
  /** Whether the origin receives TLS. */
  readonly hasOriginTls?: boolean;
  /** Whether the origin receives HTTP/2. */
  readonly hasHttp2Origin?: boolean;
  /** Whether the origin receives HTTP/2 for calls of gRPC, and HTTP/1.1 for all else. */
  readonly hasGrpcOrigin?: boolean;
  /** Whether it is a cache. */
  readonly hasCache?: boolean;
  /** Whether it forwards Upgrade to WebSocket. */
  readonly hasUpgrade?: boolean;
  /** Whether connections to the origin are kept for later requests. */
  readonly hasPool?: boolean;
  /** Whether it serves below `PREFIX`, which it removes. */
  readonly isBelowPrefix?: boolean;
  /** Whether clients present a certificate, and the gateway forwards it. */
  readonly hasCertificate?: boolean;
  /** Whether clients send PROXY headers, and the gateway requires them. */
  readonly takesProxyHeader?: boolean;
  /** Whether the origin gets PROXY headers. */
  readonly sendsProxyHeader?: boolean;
}

/** The outcome of each check that turns; or the checks that fail, of which there is mostly one. */
export type Turns = string | readonly string[] | WrongProxy['turns'];

export function wrong(name: string, turns: Turns, deviation: Deviation): WrongProxy {
  return { name, deviation, turns: outcomesOf(turns) };
}

function outcomesOf(turns: Turns): WrongProxy['turns'] {
  if (typeof turns !== 'string' && !('length' in turns)) return turns;
  return Object.fromEntries([turns].flat().map((id) => [id, 'fail']));
}

/** Those that only differ: their level is info. */
export const differs = (...ids: readonly string[]): WrongProxy['turns'] =>
  Object.fromEntries(ids.map((id) => [id, 'differs']));

/** One that does not do what a check waits for. */
export function silent(name: string, turns: Turns, deviation: Deviation): WrongProxy {
  return { ...wrong(name, turns, deviation), isSilent: true };
}

/** One that breaks other checks, too. */
export const breaking = (...args: Parameters<typeof wrong>): WrongProxy => ({
  ...wrong(...args),
  breaksOthers: true,
});

/** One that is silent after it has blocked. */
export const blocking = (...args: Parameters<typeof silent>): WrongProxy => ({
  ...silent(...args),
  isBlocking: true,
});

export const onRequest = (
  change: (request: OriginRequest, client: ClientRequest) => void,
): Deviation => ({
  request: change,
});

export const onResponse = (
  change: (response: ClientResponse, client: ClientRequest) => void,
): Deviation => ({ response: change });

/** Keeps the fields for which it holds. */
export const keepingFields = (isKept: (name: string, value: string) => boolean): Deviation =>
  onRequest((request) => {
    request.fields = request.fields.filter(([name, value]) => isKept(name.toLowerCase(), value));
  });

export const changingValues = (change: (value: string, name: string) => string): Deviation =>
  onRequest((request) => {
    request.fields = mapped(request.fields, change);
  });

/** The fields without those of the names, in lower case. */
export const without = (fields: readonly FieldLine[], ...names: readonly string[]): FieldLine[] =>
  fields.filter(([name]) => !names.includes(name.toLowerCase()));

export function mapped(
  fields: readonly FieldLine[],
  change: (value: string, name: string) => string,
): FieldLine[] {
  return fields.map(([name, value]) => [name, change(value, name.toLowerCase())]);
}

/** Changes the path of targets, which has no query. */
export const changingPaths = (change: (path: string) => string): Deviation =>
  onRequest((request) => {
    const { target } = request;
    const at = target.indexOf('?');
    request.target = at === -1 ? change(target) : change(target.slice(0, at)) + target.slice(at);
  });

export const changingQueries = (change: (query: string) => string): Deviation =>
  onRequest((request) => {
    const { target } = request;
    const at = target.indexOf('?');
    // Only those of `/anything`: queries of other paths tell the origin what to do.
    if (at === -1 || !target.startsWith('/anything')) return;
    request.target = `${target.slice(0, at + 1)}${change(target.slice(at + 1))}`;
  });

/** Rewrites the header section of requests on HTTP/1.1 before it is parsed. */
export const readingHeads = (pattern: RegExp | string, replacement: string): Deviation => ({
  readHead: (text) => text.replace(pattern, replacement),
});

/** Forwards requests on HTTP/1.1 with the pattern as they are, but for the replacement. */
export const relaying = (
  pattern: RegExp,
  replacement: string,
  rawResponse?: Deviation['rawResponse'],
): Deviation => ({
  raw: (text) => (pattern.test(text) ? text.replace(pattern, replacement) : undefined),
  ...(rawResponse && { rawResponse }),
});

/** Answers such requests on HTTP/1.1 itself; without a status, it ends the connection. */
export const answering = (isAnswered: (text: string) => boolean, status?: number): Deviation => ({
  rawAnswer: (text) => {
    if (!isAnswered(text)) return undefined;
    return status === undefined ? '' : `HTTP/1.1 ${status} -\r\nContent-Length: 0\r\n\r\n`;
  },
});

export const changingStatus = (from: number, to: number): Deviation =>
  onResponse((response) => {
    if (response.status === from) response.status = to;
  });

/** Changes the fields of responses. */
export const changingResponseFields = (change: (fields: FieldLine[]) => FieldLine[]): Deviation =>
  onResponse((response) => {
    response.fields = change(response.fields);
  });

/** Gateways whose fault is a deviation that is made of arguments. */
export const by =
  <A extends readonly unknown[]>(deviationOf: (...args: A) => Deviation) =>
  (name: string, turns: Turns, ...args: A): WrongProxy =>
    wrong(name, turns, deviationOf(...args));

export const changesRequest = by(onRequest);
export const changesResponse = by(onResponse);
export const keepsFields = by(keepingFields);
export const changesValues = by(changingValues);
export const changesResponseFields = by(changingResponseFields);
export const changesPaths = by(changingPaths);
export const readsHeads = by(readingHeads);
