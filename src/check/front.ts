/** The protocols between client and target; the same URL can offer both. */
export const FRONTS = ['http/1.1', 'h2'] as const;
export type FrontName = (typeof FRONTS)[number];

/** Key of a result, also in reports of other runs. */
export function resultKey({ front, id }: { readonly front: string; readonly id: string }): string {
  return `${front} ${id}`;
}

/** What a run can be given, so that it judges more. */
export interface Means {
  /** The flags of `wirebin check`, or of the origin. */
  readonly flags: string;
  readonly of: 'check' | 'origin';
  /** Whether each run should have it. Without it, the checks of the level `must` that need it are not judged. */
  readonly isExpected?: true;
}

interface NeedText {
  readonly meaning: string;
  /** How the run or its origin can be set up to meet it. Others depend on the kind of target. */
  readonly means?: Means;
  /** Reason of `not-applicable` if the need is not met. */
  readonly missing: string;
}

/** What a check may need of the target or the origin. */
export const NEEDS = {
  gateway: {
    meaning: 'the target reads messages; a tunnel (RFC 9110 9.3.6) forwards bytes',
    missing: 'the target is a tunnel: it forwards bytes, not messages',
  },
  journal: {
    means: { flags: '--origin URL', of: 'check', isExpected: true },
    meaning: 'the origin reports what has reached it, at /journal',
    missing: 'the journal of the origin cannot be read',
  },
  faults: {
    means: { flags: 'with /fault', of: 'origin', isExpected: true },
    meaning: 'the origin responds with faults on request, at /fault',
    missing: 'the origin has no /fault',
  },
  control: {
    means: { flags: '--origin URL --control TOKEN', of: 'check' },
    meaning:
      'the origin can be drained, and reached past the target: --serve, or --origin and --control',
    missing: 'the origin cannot be drained without --origin and --control',
  },
  raw: {
    means: { flags: '--allow-raw', of: 'origin', isExpected: true },
    meaning: 'the origin sends responses as the client gives them: --allow-raw',
    missing: 'the origin runs without --allow-raw',
  },
  cache: {
    meaning: 'the target reuses responses',
    missing: 'the target does not reuse responses',
  },
  root: {
    meaning: 'the URL has no path: what is asked is not below a prefix',
    missing: 'the target is below a prefix, which this request would leave',
  },
  'removed-prefix': {
    meaning: 'the URL has a path, which the target removes before it forwards',
    missing: 'the target is not below a prefix that it removes',
  },
  tls: { meaning: 'the URL is https', missing: 'the URL is not https' },
  'tls-origin': {
    meaning: 'the target uses TLS to the origin',
    missing: 'the origin receives cleartext',
  },
  'client-certificate': {
    means: { flags: '--cert FILE --key FILE', of: 'check' },
    meaning: 'the client presents a certificate: TLS, --cert and --key',
    missing: 'needs TLS, --cert and --key',
  },
  'proxy-protocol': {
    means: { flags: '--proxy-protocol v2', of: 'check' },
    meaning: 'the target expects PROXY headers from its clients: --proxy-protocol',
    missing: 'needs --proxy-protocol',
  },
  'proxy-origin': {
    meaning: 'the target sends PROXY headers to the origin',
    missing: 'the origin receives no PROXY header',
  },
  'interim-origin': {
    meaning: 'the origin receives HTTP/1.1 or HTTP/2: HTTP/1.0 has no interim responses',
    missing: 'the origin receives HTTP/1.0, to which it sends no interim response',
  },
  'http1-origin': {
    meaning: 'the origin receives HTTP/1.1',
    missing: 'the origin receives HTTP/2',
  },
  'h2-origin': { meaning: 'the origin receives HTTP/2', missing: 'the origin receives HTTP/1.1' },
  'grpc-origin': {
    meaning: 'the origin receives calls of gRPC on HTTP/2, whatever it receives otherwise',
    missing: 'the origin receives no call of gRPC on HTTP/2',
  },
} as const satisfies Readonly<Record<string, NeedText>>;

export type Need = keyof typeof NEEDS;

/** Reasons of checks that run only if asked for. */
export const NOT_ASKED = {
  destructive: 'not run without --destructive',
  slow: 'not run without --slow',
} as const;

/** Reason of checks that learn only from the origin's answer to a handshake that it lacks the flag. */
export const NO_WEBSOCKET_DEFLATE = 'the origin runs without --websocket-deflate';

/** What a run can be given, by the reason of the checks that lack it. */
const MEANS: ReadonlyMap<string | undefined, Means> = new Map<string | undefined, Means>([
  [NO_WEBSOCKET_DEFLATE, { flags: '--websocket-deflate', of: 'origin' }],
  ...Object.entries(NOT_ASKED).map(
    ([name, reason]) => [reason, { flags: `--${name}`, of: 'check' }] as const,
  ),
  ...Object.values<NeedText>(NEEDS).flatMap(({ missing, means }) =>
    means ? [[missing, means] as const] : [],
  ),
]);

/** What a run can be given so that a check with this reason is judged; undefined if it depends on the target. */
export const meansOf = (reason: string | undefined): Means | undefined => MEANS.get(reason);

const ASKED_FOR: ReadonlySet<string | undefined> = new Set(Object.values(NOT_ASKED));

/** Whether this is the reason of a check that runs only if asked for. */
export const isNotAsked = (reason: string | undefined): boolean => ASKED_FOR.has(reason);
