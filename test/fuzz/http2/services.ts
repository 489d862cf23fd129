import { early } from '../../../src/endpoints/early.ts';
import { endpoint, type Endpoint } from '../../../src/server/endpoint.ts';
import { anyText } from '../../../src/server/params.ts';
import { text, type Reply } from '../../../src/server/reply.ts';
import type { Request } from '../../../src/server/request.ts';
import { startAdapters, type Adapters } from '../../_adapters.ts';

/** Shows what has arrived of a request. */
function seenReply(request: Request, content: Buffer): Reply {
  const { method, rawTarget, fields, trailers } = request;
  return text(JSON.stringify([method, rawTarget, fields, trailers, content.length]));
}

const SEEN = {
  methods: 'any',
  group: 'echo',
  summary: 'Shows what has arrived of a request.',
  additionalQuery: 'Shown.',
  content: true,
  responses: {},
} as const;

const endpoints: readonly Endpoint[] = [
  endpoint({
    ...SEEN,
    path: '/seen',
    handle: ({ request, content }) => seenReply(request, content),
  }),
  endpoint({
    ...SEEN,
    path: '/seen/*path',
    params: { path: anyText('Any path.') },
    handle: ({ request, content }) => seenReply(request, content),
  }),
  early(100_000),
];

const NEVER = 1e9;

/** So few streams that inputs exceed it, and as much of all else as they have. */
const limits = {
  maxStreams: 5,
  maxBodySize: 20_000,
  maxContentMemory: NEVER,
  maxOpenRequests: NEVER,
  maxResets: NEVER,
  maxControlFrames: NEVER,
  idleTimeout: NEVER,
  requestTimeout: NEVER,
  silence: NEVER,
};

/** Starts the service by both engines of HTTP/2. */
export async function startBoth(): Promise<{ node: Adapters; wirebin: Adapters }> {
  const node = await startAdapters(limits, endpoints, [], 'node');
  const wirebin = await startAdapters(limits, endpoints, [], 'wirebin');
  return { node, wirebin };
}

/** Forgets what adapters keep of all requests. */
export function forget({ held, outcomes, refused, messages }: Adapters): void {
  for (const list of [held, outcomes, refused, messages]) list.length = 0;
}
