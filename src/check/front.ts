/** The protocols between client and target; the same URL can offer both. */
export const FRONTS = ['http/1.1', 'h2'] as const;
export type FrontName = (typeof FRONTS)[number];

/** Key of a result, also in reports of other runs. */
export function resultKey({ front, id }: { readonly front: string; readonly id: string }): string {
  return `${front} ${id}`;
}

interface NeedText {
  readonly meaning: string;
  /** Whether the run or its origin can be set up to meet it. Others depend on the kind of target. */
  readonly canBeGiven?: true;
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
    canBeGiven: true,
    meaning: 'the origin reports what has reached it, at /journal',
    missing: 'the journal of the origin cannot be read',
  },
  faults: {
    canBeGiven: true,
    meaning: 'the origin responds with faults on request, at /fault',
    missing: 'the origin has no /fault',
  },
  control: {
    canBeGiven: true,
    meaning:
      'the origin can be drained, and reached past the target: --serve, or --origin and --control',
    missing: 'the origin cannot be drained without --origin and --control',
  },
  raw: {
    canBeGiven: true,
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
  tls: { meaning: 'the URL is https', missing: 'the URL is not https' },
  'tls-origin': {
    meaning: 'the target uses TLS to the origin',
    missing: 'the origin receives cleartext',
  },
  'client-certificate': {
    canBeGiven: true,
    meaning: 'the client presents a certificate: TLS, --cert and --key',
    missing: 'needs TLS, --cert and --key',
  },
  'proxy-protocol': {
    canBeGiven: true,
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

const MEANS: ReadonlySet<string | undefined> = new Set([
  ...Object.values(NOT_ASKED),
  ...Object.values<NeedText>(NEEDS)
    .filter(({ canBeGiven }) => canBeGiven)
    .map(({ missing }) => missing),
]);

/** Whether this is the reason of a check that lacks what a run can be given. */
export const isMeansMissing = (reason: string | undefined): boolean => MEANS.has(reason);
