import type { Endpoint } from '../server/endpoint.ts';
import { Nonces } from '../server/nonces.ts';
import { shapeOf } from '../server/router.ts';
import { ConnectionStatistics, type ConnectionSource } from '../telemetry/connection-statistics.ts';
import { Metrics } from '../telemetry/metrics.ts';
import type { MetricsSource } from '../telemetry/statistics.ts';
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
import { cookies } from './cookies.ts';
import { bytes } from './bytes.ts';
import { cache } from './cache.ts';
import { etag } from './etag.ts';
import { delay } from './delay.ts';
import { drip } from './drip.ts';
import { range } from './range.ts';
import { absoluteRedirect } from './absolute-redirect.ts';
import { jsonLines } from './jsonl.ts';
import { links } from './links.ts';
import { redirect } from './redirect.ts';
import { redirectTo, type RedirectTargets } from './redirect-to.ts';
import { relativeRedirect } from './relative-redirect.ts';
import { responseHeaders } from './response-headers.ts';
import { serverSentEvents } from './sse.ts';
import { streamBytes } from './stream-bytes.ts';
import { stream } from './stream.ts';
import { trailers } from './trailers.ts';
import { unstable } from './unstable.ts';
import { statusCode } from './status.ts';
import { healthz } from './healthz.ts';
import { index } from './index.ts';
import { connectionsEndpoint } from './connections.ts';
import { metricsEndpoint } from './metrics.ts';
import { openapi } from './openapi.json.ts';
import { problemPages } from './problems.ts';
import { readyz } from './readyz.ts';
import { tapEndpoint } from './tap.ts';

/** What of the running service some endpoints speak of. */
export interface ServiceState {
  readonly isDraining: () => boolean;
  /** undefined where they are off. */
  readonly metrics: MetricsSource | undefined;
  readonly tap: Tap | undefined;
  /** Of /connections. */
  readonly ledger: ConnectionSource | undefined;
  /** Those of /digest-auth. */
  readonly nonces: Nonces;
  /** The variables of /env; undefined where it is off. */
  readonly environment: Readonly<Record<string, string>> | undefined;
  /** That of /hostname; undefined where it is off. */
  readonly hostname: string | undefined;
  /** Whether every response names its connection. */
  readonly connHeaders: boolean;
  /** Paths that are switched off, with all below them. */
  readonly disabled?: readonly string[] | undefined;
  /** Endpoints of a dialect: they stand in for those of the same path, or are added. */
  readonly own?: readonly Endpoint[] | undefined;
  /** Where /redirect-to may lead. */
  readonly allowedRedirectDomains: RedirectTargets;
  /** The most seconds that any delay or duration may be asked to last. */
  readonly maxDuration: number;
  /** The most bytes of content that /upload takes. */
  readonly maxUploadSize: number;
}

/** The state of a service that has all it can have. */
export const completeState: ServiceState = {
  isDraining: () => false,
  metrics: new Metrics(),
  nonces: new Nonces(new Uint8Array(32)),
  environment: {},
  hostname: 'example',
  connHeaders: true,
  tap: new Tap({ secrets: false }),
  ledger: new ConnectionStatistics(),
  allowedRedirectDomains: [],
  maxDuration: 300,
  maxUploadSize: 10 * 1024 ** 3,
};

const documents = [
  htmlDocument,
  xmlDocument,
  jsonDocument,
  utf8Document,
  postForm,
  robots,
  deny,
] as const;

const redirects = [redirect, relativeRedirect, absoluteRedirect] as const;
const credentials = [basicAuth, hiddenBasicAuth, bearer] as const;

/** Those that wait for a setting. */
function optionalEndpoints(state: ServiceState): readonly Endpoint[] {
  const { metrics, environment, hostname: name, ledger, tap } = state;
  return [
    ...(metrics ? [metricsEndpoint(metrics)] : []),
    ...(environment ? [env(environment)] : []),
    ...(name === undefined ? [] : [hostname(name)]),
    ...(ledger ? [connectionsEndpoint(ledger)] : []),
    ...(tap ? [tapEndpoint(tap)] : []),
  ];
}

/** Every endpoint, in the order of the index page. */
export function allEndpoints(state: ServiceState): readonly Endpoint[] {
  const { isDraining, disabled = [], own = [] } = state;
  // The index and the OpenAPI document are among what they speak of.
  const list = (): readonly Endpoint[] => endpoints;
  const standard = [
    ...anything,
    getEcho,
    headEcho,
    postEcho,
    putEcho,
    patchEcho,
    deleteEcho,
    upload(state.maxUploadSize),
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
    range(state.maxDuration),
    stream,
    ...image,
    ...base64Content,
    ...documents,
    uuid,
    ...credentials,
    ...digestAuth(state.nonces),
    delay(state.maxDuration),
    drip(state.maxDuration),
    serverSentEvents(state.maxDuration),
    jsonLines(state.maxDuration),
    unstable,
    ...redirects,
    redirectTo(state.allowedRedirectDomains),
    ...links,
    statusCode,
    ...cache,
    etag,
    responseHeaders,
    trailers,
    ...cookies,
    index(list),
    version,
    healthz,
    readyz(isDraining),
    ...optionalEndpoints(state),
    openapi(list, state.connHeaders),
    problemPages,
  ];
  const endpoints = replaced(standard, own).filter(({ path }) => !isDisabled(path, disabled));
  return endpoints;
}

/** Those that wait for a setting; what is switched off besides is as if it were not there. */
export function offEndpoints(state: ServiceState): readonly Endpoint[] {
  const { disabled, own } = state;
  const served = new Set(allEndpoints(state).map(shapeOf));
  return allEndpoints({ ...completeState, disabled, own }).filter(
    (endpoint) => endpoint.setting !== undefined && !served.has(shapeOf(endpoint)),
  );
}

/** Some of the endpoints stand in for those whose path they have; the rest is added at the end. */
function replaced(endpoints: readonly Endpoint[], own: readonly Endpoint[]): readonly Endpoint[] {
  const mine = new Map(own.map((endpoint) => [shapeOf(endpoint), endpoint]));
  const theirs = endpoints.map((endpoint) => {
    const shape = shapeOf(endpoint);
    const instead = mine.get(shape) ?? endpoint;
    mine.delete(shape);
    return instead;
  });
  return [...theirs, ...mine.values()];
}

/** Whether a path, or the path of an endpoint, is one that is switched off, or below it. */
export function isDisabled(path: string, disabled: readonly string[]): boolean {
  return disabled.some((above) => isAtOrBelow(path, above));
}

/** Whether a pattern is the path itself or has it as its first segments; below `/` is nothing. */
function isAtOrBelow(pattern: string, path: string): boolean {
  return pattern === path || pattern.startsWith(`${path}/`);
}

/** Those of the paths that no endpoint is at or below, with all settings on. */
export function unknownPaths(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const known = allEndpoints(completeState);
  return paths.filter((path) => !known.some((endpoint) => isAtOrBelow(endpoint.path, path)));
}
