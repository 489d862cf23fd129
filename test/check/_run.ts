import { afterAll, beforeAll, expect, test } from 'vitest';
import { checks, checksOf } from '../../src/check/catalogue/all.ts';
import type { Check, Outcome } from '../../src/check/check.ts';
import { startOrigin, type RunningOrigin } from '../../src/check/own-origin.ts';
import { probe, type Facts } from '../../src/check/probe.ts';
import type { Result } from '../../src/check/result.ts';
import { plan, Runner } from '../../src/check/runner.ts';
import { Target } from '../../src/check/target.ts';
import { makeCredentials } from '../../src/net/certificates.ts';
import { issue, makeAuthority } from '../_certificates.ts';
import { belowPrefix, PREFIX } from './_below-prefix.ts';
import { startCarelessLeg } from './_careless-leg.ts';
import { startGateway, type Proxy, type ProxyOptions } from './_gateway-server.ts';
import type { Deviation } from './_gateway-messages.ts';
import { startHttp2Leg } from './_http2-leg.ts';
import { startPoolingLeg } from './_pooling-leg.ts';
import type { Setup, WrongProxy } from './_wrong.ts';

/** Milliseconds for a transfer; a busy machine needs some of them. */
const TIME = 10_000;
/** The same for checks that wait for a part of it in any case. */
const WAITING_TIME = 3000;
/** The same where a check waits for what does not come. */
const SHORT_TIME = 1000;

/**
 * Checks that run at once, in the process of the gateway and of the origin. With 16, each waits for the others twice as
 * long, for seconds on a busy machine, and all are done hardly sooner.
 */
const CONCURRENCY = 8;

/** What does not take long: no checks that measure time or run alone, and none that send or receive much. */
export function isQuick({ id, phase, isSlow }: Check): boolean {
  const isShort = !/^content\/(?:upload-1m|download-10m)$/.test(id);
  return phase === undefined && isSlow !== true && isShort;
}

export const quickChecks: readonly Check[] = checksOf('gateway').filter(isQuick);

/** Each wrong gateway runs every so many-th of the checks that it does not name; together they run all. */
const SAMPLE = 30;

/** @param at position of the gateway */
export const sampled =
  (at: number) =>
  (_check: Check, number: number): boolean =>
    number % SAMPLE === at % SAMPLE;

interface Run {
  readonly facts: Facts;
  readonly results: readonly Result[];
}

/** Runs checks as fast as they go. @param known what a probe has found before */
async function run(
  { url, client }: Proxy,
  origin: RunningOrigin,
  chosen: readonly Check[],
  known?: Facts,
  time = TIME,
): Promise<Run> {
  const target = new Target({
    url,
    origins: [origin.url],
    control: origin.control,
    insecure: true,
    ...client,
  });
  const facts = known ?? (await probe(target, time));
  const runner = new Runner(target, facts, {
    time,
    concurrency: CONCURRENCY,
    rate: Infinity,
    repeat: 1,
    destructive: true,
    slow: true,
    signal: new AbortController().signal,
    onResult: () => undefined,
  });
  return { facts, results: await runner.run(plan(chosen, facts, checks)) };
}

const CLEARTEXT: Setup = { scheme: 'http' };

/** What is about connections; all else is the same in cleartext, where it is quicker. */
const connectionChecks = quickChecks.filter(({ id }) =>
  /^(?:tls|client-certificate|proxy-protocol)\//.test(id),
);

/** What is about an origin on HTTP/2. */
export const http2OriginChecks: readonly Check[] = checks.filter(
  ({ needs = [] }) => needs.includes('h2-origin') || needs.includes('grpc-origin'),
);

/** What is about calls of gRPC. */
export const grpcChecks = http2OriginChecks.filter(({ id }) => id.startsWith('grpc/'));

/** The checks without which one says nothing: if one of them fails, it is blocked. */
const after = new Map<string, Check['after']>(checks.map((check) => [check.id, check.after]));

const cacheChecks = quickChecks.filter(({ id }) => id.startsWith('cache/'));

/** What is about connections to the origin that are kept. */
const poolChecks = checks.filter(
  ({ id, isSlow }) => /^(?:idle|backend)\//.test(id) && isSlow !== true,
);

/** What is about a prefix that is removed, and what of other checks depends on it. */
const prefixChecks = checks.filter(
  ({ id, needs = [] }) =>
    needs.includes('removed-prefix') || ['cookie/attributes', 'response/status-302'].includes(id),
);

const websocketChecks = checks.filter(
  ({ id, isSlow }) => id.startsWith('websocket/') && isSlow !== true,
);

/** What a correct gateway with this setup does. */
function ordinary({
  hasCache = false,
  hasUpgrade = false,
  isBelowPrefix = false,
}: Setup): Deviation {
  if (isBelowPrefix) return belowPrefix();
  return { ...(hasCache && { cache: 'none' }), ...(hasUpgrade && { upgrade: {} }) };
}

export function timeFor({ hasPool = false }: Setup): number {
  return hasPool ? WAITING_TIME : TIME;
}

function checksFor(setup: Setup): readonly Check[] {
  if (setup.isBelowPrefix) return prefixChecks;
  if (setup.hasCache) return cacheChecks;
  if (setup.hasPool) return poolChecks;
  if (setup.hasUpgrade) return websocketChecks;
  if (setup.hasGrpcOrigin) return grpcChecks;
  if (setup.hasHttp2Origin) return http2OriginChecks;
  return setup === CLEARTEXT ? quickChecks : connectionChecks;
}

/** An origin, and runs of checks through proxies in front of it. */
export class Bench {
  readonly #origin: RunningOrigin;
  readonly #credentials: ProxyOptions['credentials'];
  /** Runs of all quick checks through a correct gateway, by its setup. */
  readonly #references = new Map<string, Promise<Run>>();

  /** The certificate of the client, and that of the authority that issued it. */
  readonly #client: Proxy['client'];

  private constructor(
    origin: RunningOrigin,
    credentials: ProxyOptions['credentials'],
    client: Proxy['client'],
  ) {
    this.#origin = origin;
    this.#credentials = credentials;
    this.#client = client;
  }

  static async create(): Promise<Bench> {
    const { cert, key } = await makeCredentials(Date.now());
    const credentials = { cert: String(cert), key: String(key) };
    const authority = await makeAuthority('Authority of clients');
    const client = await issue('check-client', { by: authority });
    return new Bench(await startOrigin(0), credentials, {
      cert: Buffer.from(`${client.cert}\n${authority.cert}`),
      key: Buffer.from(client.key),
    });
  }

  get originPort(): number {
    return Number(this.#origin.url.port);
  }

  /** @param wrong what it does wrong */
  async gateway(
    setup: Setup,
    { deviation = ordinary(setup), leg, pool, careless }: Partial<WrongProxy> = {},
  ): Promise<Proxy> {
    const { scheme, hasOriginTls, hasCertificate, takesProxyHeader, sendsProxyHeader } = setup;
    let back: Proxy | undefined;
    if (setup.hasHttp2Origin) back = await startHttp2Leg(this.originPort, leg);
    if (setup.hasGrpcOrigin)
      back = await startHttp2Leg(this.originPort, { ...leg, forGrpcOnly: true });
    if (careless) back = await startCarelessLeg(this.originPort, careless);
    else if (setup.hasPool) back = await startPoolingLeg(this.originPort, pool);
    const gateway = await startGateway(
      {
        originPort: back ? Number(back.url.port) : this.originPort,
        credentials: scheme === 'https' ? this.#credentials : undefined,
        originTls: hasOriginTls ? {} : undefined,
        asksForCertificate: hasCertificate,
        requiresProxyHeader: takesProxyHeader,
        sendsProxyHeader,
      },
      deviation,
    );
    return {
      url: setup.isBelowPrefix ? new URL(`${PREFIX}/`, gateway.url) : gateway.url,
      client: {
        ...(takesProxyHeader && { proxyProtocol: 'v1' as const }),
        ...(hasCertificate && this.#client),
      },
      close: async () => void (await Promise.all([gateway.close(), back?.close()])),
    };
  }

  /** The run of checks through a correct gateway with this setup; by default of all that are for it. */
  reference(setup: Setup = CLEARTEXT, chosen = checksFor(setup)): Promise<Run> {
    const key = JSON.stringify([setup, chosen.length]);
    const made =
      this.#references.get(key) ??
      this.gateway(setup).then((gateway) => this.run(gateway, chosen, undefined, timeFor(setup)));
    this.#references.set(key, made);
    return made;
  }

  /** Runs checks against a proxy, and closes it. */
  async run(
    proxy: Proxy,
    chosen: readonly Check[],
    known?: Facts,
    time = TIME,
    origin = this.#origin,
  ): Promise<Run> {
    try {
      return await run(proxy, origin, chosen, known, time);
    } finally {
      await proxy.close();
    }
  }

  /** Runs the checks that a wrong gateway names, those that they come after, those that they block, and others. */
  async resultsOf(
    wrong: WrongProxy,
    facts: Facts,
    isOther: (check: Check) => boolean = () => false,
  ): Promise<readonly Result[]> {
    const { turns, isSilent = false, isBlocking = false, setup = CLEARTEXT } = wrong;
    const named = new Set(Object.keys(turns).map((key) => key.replace(/^\S+ /, '')));
    const needed = new Set(Array.from(named).flatMap((id) => after.get(id) ?? []));
    const isBlocked = (check: Check): boolean =>
      checksFor(setup).includes(check) && (check.after ?? []).some((id) => turns[id] === 'fail');
    const selected = checks.filter(
      (check) => named.has(check.id) || needed.has(check.id) || isBlocked(check) || isOther(check),
    );
    const gateway = await this.gateway(setup, wrong);
    const silentTime = isBlocking ? WAITING_TIME : SHORT_TIME;
    const time = isSilent ? silentTime : timeFor(setup);
    return (await this.run(gateway, selected, facts, time)).results;
  }

  /**
   * Expects that a wrong gateway turns the outcome of the checks that it names, that those which come after a failed
   * one are blocked, and that no other turns.
   *
   * @param isRun which of the others are run; those that the gateway names are run in any case
   */
  async expectTurns(
    wrong: WrongProxy,
    isRun: (check: Check, at: number) => boolean,
  ): Promise<void> {
    const { turns, breaksOthers = false, setup = CLEARTEXT } = wrong;
    const { facts, results: before } = await this.reference(setup);
    const chosen = checksFor(setup);
    const isChosen = (check: Check): boolean =>
      !breaksOthers &&
      chosen.includes(check) &&
      (chosen === connectionChecks || isRun(check, chosen.indexOf(check)));
    const results = await this.resultsOf(wrong, facts, isChosen);
    const outcomesBefore = outcomes(before);
    const turned = [...outcomes(results)].filter(
      ([key, outcome]) => (outcomesBefore.get(key) ?? 'pass') !== outcome,
    );
    const declaredFor = (front: Result['front'], id: string): Outcome | undefined => {
      const named = turns[`${front} ${id}`] ?? turns[id];
      const isRunBefore = outcomesBefore.get(`${front} ${id}`) !== 'not-applicable';
      if (named !== undefined || !isRunBefore) return named;
      const isBlocked = (after.get(id) ?? []).some((each) =>
        /^(?:fail|blocked)$/.test(declaredFor(front, each) ?? ''),
      );
      return isBlocked ? 'blocked' : undefined;
    };
    const declared = results.flatMap(({ front, id }) => {
      const outcome = declaredFor(front, id);
      return outcome === undefined ? [] : [[`${front} ${id}`, outcome] as const];
    });
    const words = [
      ...those(results, 'fail', 'differs', 'flaky', 'error', 'blocked'),
      ...faultsIn(before).map((line) => `through a correct gateway: ${line}`),
    ].join('\n');
    expect(Object.fromEntries(turned), words).toEqual(Object.fromEntries(declared));
    expect(declared.length).toBeGreaterThan(0);
  }

  close(): Promise<void> {
    return this.#origin.close();
  }
}

/** A bench for the tests of a file. */
export function bench(): () => Bench {
  let made: Bench | undefined;
  beforeAll(async () => {
    made = await Bench.create();
  });
  afterAll(() => made?.close());
  return () => {
    if (!made) throw new Error('no test runs yet');
    return made;
  };
}

/**
 * A test of each wrong gateway: the checks that it names turn, and no other of a sample.
 *
 * @param options `concurrent` where checks wait, and do not disturb the origin
 */
export function testWrongProxies(
  proxies: readonly WrongProxy[],
  { concurrent = false }: { readonly concurrent?: boolean } = {},
): void {
  const started = bench();
  const speaking = proxies.filter(({ isSilent = false }) => !isSilent);
  const silent = proxies.filter(({ isSilent = false }) => isSilent);

  test.each(speaking.map((proxy, at) => ({ name: proxy.name, proxy, at })))(
    'is found: $name',
    { concurrent },
    ({ at, proxy }) => started().expectTurns(proxy, sampled(at)),
  );

  if (silent.length === 0) return;
  // Their checks wait for what does not come, so all wait at once.
  test(`is found: ${silent.map(({ name }) => name).join(', ')}`, async () => {
    await Promise.all(silent.map((proxy) => started().expectTurns(proxy, () => false)));
  });
}

/** A test of each wrong gateway with every check: those that it names turn, and no other. */
export function testWithEveryCheck(proxies: readonly WrongProxy[]): void {
  const started = bench();
  test.each(proxies)('is found: $name', (proxy) =>
    started().expectTurns(proxy, () => proxy.isSilent !== true),
  );
}

function outcomes(results: readonly Result[]): Map<string, Outcome> {
  return new Map(results.map(({ front, id, outcome }) => [`${front} ${id}`, outcome]));
}

/** What a correct run has not: findings, and checks without a verdict. */
export const faultsIn = (results: readonly Result[]): string[] =>
  those(results, 'fail', 'flaky', 'error', 'blocked');

/** The results with these outcomes, in words. */
export function those(results: readonly Result[], ...wanted: readonly Outcome[]): string[] {
  return results
    .filter(({ outcome }) => wanted.includes(outcome))
    .map(({ front, id, outcome, expected, found, reason }) => {
      const words =
        reason ?? `${found ?? ''}${expected === undefined ? '' : `, expected: ${expected}`}`;
      return `${front} ${id}: ${outcome} (${words})`;
    });
}
