import type { WrongProxy } from '../_wrong.ts';
import { wrongBackpressure } from './backpressure.ts';
import { wrongCaches } from './cache.ts';
import { wrongCacheDirectives } from './cache-directives.ts';
import { wrongClientCertificates } from './client-certificate.ts';
import { wrongCodings } from './coding.ts';
import { wrongConnections } from './connection.ts';
import { wrongContents } from './content.ts';
import { wrongDrain } from './drain.ts';
import { wrongFields } from './field.ts';
import { wrongFlow } from './flow.ts';
import { wrongFraming } from './framing.ts';
import { wrongGoaway } from './goaway.ts';
import { wrongGrpc } from './grpc.ts';
import { wrongHttp2 } from './h2.ts';
import { wrongHops } from './hop.ts';
import { wrongHosts } from './host.ts';
import { wrongIdle } from './idle.ts';
import { wrongInterims } from './interim.ts';
import { wrongLimits } from './limit.ts';
import { wrongMethods } from './method.ts';
import { wrongOrigins } from './origin.ts';
import { wrongPrefixes } from './prefix.ts';
import { wrongProxyHeaders } from './proxy-protocol.ts';
import { wrongResponses } from './response.ts';
import { wrongRetries } from './retry.ts';
import { wrongTargets } from './target.ts';
import { wrongTlsProxies } from './tls.ts';
import { wrongWebsockets } from './websocket.ts';

/** Every wrong gateway, by the test file that runs it. */
export const wrongProxies = {
  requests: [
    ...wrongFraming,
    ...wrongHops,
    ...wrongFields,
    ...wrongTargets,
    ...wrongPrefixes,
    ...wrongHosts,
    ...wrongMethods,
  ],
  caches: [...wrongCaches, ...wrongCacheDirectives],
  responses: [...wrongInterims, ...wrongResponses, ...wrongCodings, ...wrongContents],
  connections: [...wrongOrigins, ...wrongRetries, ...wrongConnections, ...wrongHttp2],
  idle: wrongIdle,
  drain: wrongDrain,
  websockets: wrongWebsockets,
  tls: [...wrongTlsProxies, ...wrongClientCertificates, ...wrongProxyHeaders],
  backpressure: wrongBackpressure,
  limits: wrongLimits,
  http2Origins: [...wrongGoaway, ...wrongFlow, ...wrongGrpc],
} as const satisfies Readonly<Record<string, readonly WrongProxy[]>>;
