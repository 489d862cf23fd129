import { Control, type ControlActions, type Readiness } from '../server/control.ts';
import type { Endpoint } from '../server/endpoint.ts';
import { Router } from '../server/router.ts';
import { Nonces } from '../server/nonces.ts';
import { ConnectionStatistics, type ConnectionSource } from '../telemetry/connection-statistics.ts';
import { Journal } from '../telemetry/journal/journal.ts';
import { JournalStore } from '../telemetry/journal/store.ts';
import type { MetricsSource } from '../telemetry/history.ts';
import { emptyMetrics } from '../telemetry/statistics.ts';
import type { StorySource } from '../telemetry/story/page.ts';
import { Tap } from '../telemetry/tap/tap.ts';
import { anything } from './anything.ts';
import { getEcho } from './get.ts';
import { headEcho } from './head.ts';
import { postEcho } from './post.ts';
import { putEcho } from './put.ts';
import { patchEcho } from './patch.ts';
import { deleteEcho } from './delete.ts';
import { upload } from './upload.ts';
import { headers } from './headers.ts';
import { dump } from './dump.ts';
import { ip } from './ip.ts';
import { tls } from './tls.ts';
import { http2 } from './http2.ts';
import { http1 } from './http1.ts';
import { userAgent } from './user-agent.ts';
import { uuid } from './uuid.ts';
import { gzipEcho } from './gzip.ts';
import { deflateEcho } from './deflate.ts';
import { brotliEcho } from './brotli.ts';
import { zstdEcho } from './zstd.ts';
import { compressed } from './compressed.ts';
import { dictionary } from './dictionary.ts';
import { basicAuth } from './basic-auth.ts';
import { hiddenBasicAuth } from './hidden-basic-auth.ts';
import { bearer } from './bearer.ts';
import { digestAuth } from './digest-auth.ts';
import { base64Content } from './base64.ts';
import { htmlDocument } from './html.ts';
import { xmlDocument } from './xml.ts';
import { jsonDocument } from './json.ts';
import { utf8Document } from './encoding.ts';
import { postForm } from './forms.ts';
import { robots } from './robots.txt.ts';
import { deny } from './deny.ts';
import { image } from './image.ts';
import { version } from './version.ts';
import { env } from './env.ts';
import { hostname } from './hostname.ts';
import { controlEndpoints } from './control.ts';
import { cookies } from './cookies.ts';
import { bytes } from './bytes.ts';
import { cache } from './cache.ts';
import { etag } from './etag.ts';
import { delay } from './delay.ts';
import { drip } from './drip.ts';
import { range } from './range.ts';
import { absoluteRedirect } from './absolute-redirect.ts';
import { jsonLines } from './jsonl.ts';
import { early } from './early.ts';
import { expectContinue } from './expect.ts';
import { informational } from './informational.ts';
import { links } from './links.ts';
import { redirect } from './redirect.ts';
import { redirectTo, type RedirectTargets } from './redirect-to.ts';
import { relativeRedirect } from './relative-redirect.ts';
import { responseHeaders } from './response-headers.ts';
import { serverSentEvents } from './sse.ts';
import { streamBytes } from './stream-bytes.ts';
import { stream } from './stream.ts';
import { timing } from './timing.ts';
import { trailers } from './trailers.ts';
import { unstable } from './unstable.ts';
import { statusCode } from './status.ts';
import { faults } from './fault.ts';
import { requestTrailers } from './fault/request-trailers.ts';
import { frames } from './frames.ts';
import { http2Ping, http2Settings } from './h2.ts';
import { raw } from './raw.ts';
import { healthz } from './healthz.ts';
import { index } from './index.ts';
import { connectionsEndpoint, storyEndpoint } from './connections.ts';
import { historyEndpoint, metricsEndpoint } from './metrics.ts';
import { openapi } from './openapi.json.ts';
import { docs } from './docs.ts';
import { pageFiles } from './page.ts';
import { problemPages } from './problems.ts';
import { journalEndpoint } from './journal.ts';
import { readyz } from './readyz.ts';
import { respond } from './respond.ts';
import { retry } from './retry.ts';
import { tapEndpoint } from './tap.ts';
import { webSocketEcho } from './websocket.ts';

/** Settings and state of the running service that endpoints use. */
export interface ServiceState {
  readonly readiness: () => Readiness;
  /** State of /control; undefined without --control. */
  readonly control: Control | undefined;
  /** Source of /metrics; undefined if metrics are disabled. */
  readonly metrics: MetricsSource | undefined;
  /** Source of /tap; undefined without --tap. */
  readonly tap: Tap | undefined;
  /** For /connections; undefined without --tap. */
  readonly connections: ConnectionSource | undefined;
  /** For /connections/{id}; undefined without --inspect. */
  readonly stories: StorySource | undefined;
  /** For /retry and /journal; undefined in dialects without them. */
  readonly journal: Journal | undefined;
  /** Nonces of /digest-auth. */
  readonly nonces: Nonces;
  /** The variables that /env shows; undefined if it is disabled. */
  readonly environment: Readonly<Record<string, string>> | undefined;
  /** What /hostname shows; undefined if it is disabled. */
  readonly hostname: string | undefined;
  /** The name of the service (--instance); undefined without one. */
  readonly instance: string | undefined;
  /** Id of the running service, which /version shows. */
  readonly process: string;
  /** Whether every response identifies its connection (--conn-headers). */
  readonly connHeaders: boolean;
  /** Whether responses have no X-Request-Id and X-Response-Time (--lean). */
  readonly lean: boolean;
  /** The path below which all endpoints are (--path-prefix); empty for the root. */
  readonly pathPrefix?: string;
  /** Whether clients may choose the bytes of responses (--allow-raw). */
  readonly allowRaw: boolean;
  /** Paths of --disable. Everything below them is disabled too. */
  readonly disabled?: readonly string[] | undefined;
  /** Hosts to which /redirect-to may redirect. */
  readonly allowedRedirectDomains: RedirectTargets;
  /** Maximum of any delay or duration, in seconds. */
  readonly maxDuration: number;
  /** Maximum content of /upload, in bytes. */
  readonly maxUploadSize: number;
  /** Maximum content of a WebSocket message, in bytes. */
  readonly maxBodySize: number;
  /** Seconds without a byte after which a WebSocket is closed. */
  readonly idleTimeout: number;
  /** Whether WebSockets accept permessage-deflate (--websocket-deflate). */
  readonly websocketDeflate: boolean;
}

const noActions: ControlActions = {
  setReady: async () => undefined,
  rehearseDrain: async () => false,
  exit: () => undefined,
};

/** A state with every optional endpoint enabled, for documentation and tests. */
export const completeState: ServiceState = {
  readiness: () => 'ready',
  control: new Control('example', noActions, { lag: 0, timeout: 10, down: 0 }),
  metrics: { view: emptyMetrics, history: () => ({ minutes: [] }) },
  journal: new Journal(new JournalStore({ keys: 1, entries: 1, bytes: 0, lifetime: 0 }, ''), '', {
    secrets: false,
    keepsEntries: false,
  }),
  nonces: new Nonces(new Uint8Array(32)),
  environment: {},
  hostname: 'example',
  instance: 'example',
  process: 'example',
  connHeaders: true,
  lean: false,
  allowRaw: true,
  tap: new Tap({ secrets: false }),
  connections: new ConnectionStatistics(),
  stories: { story: () => null },
  allowedRedirectDomains: [],
  maxDuration: 300,
  maxUploadSize: 10 * 1024 ** 3,
  maxBodySize: 2 * 1024 ** 2,
  idleTimeout: 75,
  websocketDeflate: true,
};

/** Makes endpoints for a state of the service. `list` returns all endpoints of the service, including these. */
type Factory = (
  state: ServiceState,
  list: () => readonly Endpoint[],
) => Endpoint | readonly Endpoint[] | undefined;

/** All endpoints, in the order of the index page. A factory returns undefined if its setting is off. */
const ours: readonly (Endpoint | readonly Endpoint[] | Factory)[] = [
  anything,
  getEcho,
  headEcho,
  postEcho,
  putEcho,
  patchEcho,
  deleteEcho,
  ({ maxUploadSize }) => upload(maxUploadSize),
  webSocketEcho,
  headers,
  dump,
  ip,
  tls,
  http2,
  http1,
  userAgent,
  gzipEcho,
  deflateEcho,
  brotliEcho,
  zstdEcho,
  compressed,
  bytes,
  streamBytes,
  ({ maxDuration }) => range(maxDuration),
  stream,
  image,
  dictionary,
  base64Content,
  htmlDocument,
  xmlDocument,
  jsonDocument,
  utf8Document,
  postForm,
  robots,
  deny,
  uuid,
  basicAuth,
  hiddenBasicAuth,
  bearer,
  ({ nonces }) => digestAuth(nonces),
  ({ maxDuration }) => delay(maxDuration),
  ({ maxDuration }) => drip(maxDuration),
  ({ maxUploadSize }) => timing(maxUploadSize),
  ({ maxDuration, allowRaw, allowedRedirectDomains: redirects }) =>
    serverSentEvents(maxDuration, { verbatim: allowRaw, redirects }),
  ({ maxDuration }) => jsonLines(maxDuration),
  unstable,
  redirect,
  relativeRedirect,
  absoluteRedirect,
  ({ allowedRedirectDomains }) => redirectTo(allowedRedirectDomains),
  links,
  statusCode,
  ({ maxDuration, allowRaw, allowedRedirectDomains: redirects, journal }) =>
    respond({ maxDuration, verbatim: allowRaw, redirects }, journal),
  cache,
  etag,
  ({ allowedRedirectDomains }) => responseHeaders(allowedRedirectDomains),
  trailers,
  ({ maxDuration }) => informational(maxDuration),
  ({ maxDuration, maxUploadSize }) => expectContinue(maxDuration, maxUploadSize),
  ({ maxUploadSize }) => early(maxUploadSize),
  cookies,
  ({ maxDuration }) => faults(maxDuration),
  ({ maxUploadSize }) => requestTrailers(maxUploadSize),
  ({ maxDuration }) => [http2Settings(maxDuration), http2Ping(maxDuration)],
  ({ allowRaw }) => (allowRaw ? [raw, frames] : undefined),
  ({ journal, maxDuration, maxUploadSize }) =>
    journal && retry(journal, maxDuration, maxUploadSize),
  ({ instance }, list) => index(list, instance),
  pageFiles,
  docs,
  ({ instance, process }) => version(instance, process),
  healthz,
  ({ readiness }) => readyz(readiness),
  ({ control }) => control && controlEndpoints(control),
  ({ metrics }) => metrics && metricsEndpoint(metrics),
  ({ metrics }) => metrics && historyEndpoint(metrics),
  ({ environment }) => environment && env(environment),
  ({ hostname: name }) => (name === undefined ? undefined : hostname(name)),
  ({ journal, maxDuration }) => journal && journalEndpoint(journal, maxDuration),
  ({ connections }) => connections && connectionsEndpoint(connections),
  ({ stories }) => stories && storyEndpoint(stories),
  ({ tap }) => tap && tapEndpoint(tap),
  (state, list) => openapi(list, state),
  (_, list) => problemPages(list),
];

/** Makes the endpoints of a dialect from those of wirebin. */
export type Adapt = (endpoints: readonly Endpoint[]) => readonly Endpoint[];

/** The endpoints of a service with this state. Without `adapt`, those of wirebin's own dialect. */
export function allEndpoints(
  state: ServiceState,
  adapt: Adapt = (endpoints) => endpoints,
): readonly Endpoint[] {
  const list = (): readonly Endpoint[] => served;
  const made = ours.flatMap((entry) =>
    typeof entry === 'function' ? (entry(state, list) ?? []) : entry,
  );
  const { disabled = [] } = state;
  const served = adapt(made).filter(({ path }) => !isDisabled(path, disabled));
  return served;
}

let complete: readonly Endpoint[] | undefined;

/** The endpoints of a service with every setting on. Made when first asked for, because serving starts sooner. */
export function completeEndpoints(): readonly Endpoint[] {
  return (complete ??= allEndpoints(completeState));
}

/** Finds endpoints that a service lacks because a setting is off. Those that --disable lists are left out. */
export function offEndpoints(
  served: readonly Endpoint[],
  { disabled = [] }: ServiceState,
  adapt: Adapt = (endpoints) => endpoints,
): Pick<Router, 'find'> {
  let router: Router | undefined;
  const paths = new Set(served.map(({ path }) => path));
  const isOff = ({ setting, path }: Endpoint): boolean =>
    setting !== undefined && !paths.has(path) && !isDisabled(path, disabled);
  return {
    find: (path) => (router ??= new Router(adapt(completeEndpoints()).filter(isOff))).find(path),
  };
}

/** Finds endpoints that wirebin's own dialect has with some settings. Those that --disable lists are left out. */
export function ownEndpoints({ disabled = [] }: ServiceState): Pick<Router, 'find'> {
  let router: Router | undefined;
  return {
    find: (path) =>
      (router ??= new Router(
        completeEndpoints().filter((endpoint) => !isDisabled(endpoint.path, disabled)),
      )).find(path),
  };
}

/** Whether a path, or an endpoint's path pattern, is in the list or below a path in it. */
export function isDisabled(path: string, disabled: readonly string[]): boolean {
  return disabled.some((prefix) => isAtOrBelow(path, prefix));
}

/** Whether a path pattern is the path, or below it. Nothing is below `/`. */
function isAtOrBelow(pattern: string, path: string): boolean {
  return pattern === path || pattern.startsWith(`${path}/`);
}

/** Selects the paths that are no endpoint's, and have none below them, even with every setting on. */
export function unknownPaths(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return paths.filter(
    (path) => !completeEndpoints().some((endpoint) => isAtOrBelow(endpoint.path, path)),
  );
}

/** Whether a path or pattern is at or above an endpoint, or is served by one, such as `/anything/a`. */
export function isServedPath(path: string): boolean {
  if (unknownPaths([path]).length === 0) return true;
  return new Router(completeEndpoints()).find(path) !== undefined;
}

/** Paths that --chaos disturbs only if --chaos-paths names them: for probes and monitoring. */
const UNDISTURBED = [
  '/healthz',
  '/readyz',
  '/health',
  '/metrics',
  '/control',
  '/tap',
  '/connections',
  '/journal',
  '/page',
  '/docs',
];

/** Whether --chaos disturbs a path. @param paths of --chaos-paths; all but UNDISTURBED if empty */
export function isDisturbed(pattern: string, path: string, paths: readonly string[]): boolean {
  if (paths.length > 0) return isDisabled(pattern, paths) || isDisabled(path, paths);
  return !isDisabled(pattern, UNDISTURBED);
}
