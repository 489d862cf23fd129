import { unauthorizedResponse } from '../echo/authenticated.ts';
import { Problem } from '../http/problem.ts';
import type { Control } from '../server/control.ts';
import { endpoint, jsonResponse, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { described, duration, int, oneOf, optional } from '../server/params.ts';
import { json } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { BOOLEAN, COUNT, NUMBER, objectSchema } from '../server/schema.ts';

/** Durations up to an hour, as for --drain-delay and --drain-timeout. */
const seconds = duration(3600);
const MAX_EXIT_CODE = 255;

const CHALLENGE = ['WWW-Authenticate', 'Bearer realm="wirebin control"'];

const common = {
  methods: ['POST'],
  group: 'operations',
  ownOriginOnly: true,
  authentication: 'bearer',
  setting: '--control',
} as const;

/** Served with --control only. */
export function controlEndpoints(control: Control): readonly Endpoint[] {
  return [ready(control), drain(control), exit(control)];
}

function ready(control: Control): Endpoint {
  return endpoint({
    ...common,
    path: '/control/ready',
    summary: 'Makes /readyz fail or succeed. Everything else is served as before.',
    query: {
      ready: described('Whether /readyz succeeds.', optional(oneOf(['true', 'false']), 'true')),
    },
    responses: {
      200: jsonResponse(
        'What /readyz tells from now on.',
        objectSchema('Ready', { ready: BOOLEAN }),
      ),
      401: unauthorizedResponse,
    },
    async handle({ request, query }) {
      authorize(control, request);
      const isReady = query.ready === 'true';
      await control.actions.setReady(isReady);
      return json({ ready: isReady });
    },
  });
}

function drain(control: Control): Endpoint {
  const { lag, timeout, down } = control.defaults;
  return endpoint({
    ...common,
    path: '/control/drain',
    summary: 'Rehearses a stop: drains the service, closes the port, and serves again.',
    query: {
      lag: described('Between failing /readyz and closing the port.', optional(seconds, lag)),
      timeout: described('For open requests to complete.', optional(seconds, timeout)),
      down: described('For which the port then stays closed.', optional(seconds, down)),
    },
    responses: {
      202: jsonResponse(
        '/readyz fails.',
        objectSchema('Drain', { lag: NUMBER, timeout: NUMBER, down: NUMBER }),
      ),
      401: unauthorizedResponse,
      503: problemResponse('The service is already draining.'),
    },
    async handle({ request, query }) {
      authorize(control, request);
      if (await control.actions.rehearseDrain(query)) return json(query, { status: 202 });
      throw new Problem('draining', 'a drain is in progress');
    },
  });
}

function exit(control: Control): Endpoint {
  return endpoint({
    ...common,
    path: '/control/exit',
    summary: 'Ends the process as a crash would, after this response.',
    query: {
      code: described('The exit code.', optional(int({ min: 0, max: MAX_EXIT_CODE }), 0)),
    },
    responses: {
      202: jsonResponse('The process is about to end.', objectSchema('Exit', { code: COUNT })),
      401: unauthorizedResponse,
    },
    handle({ request, query: { code } }) {
      authorize(control, request);
      control.exitAfter(request, code);
      return json({ code }, { status: 202 });
    },
  });
}

/** Checks the token of --control. @throws Problem unauthorized */
function authorize(control: Control, request: Request): void {
  if (control.isAuthorized(request)) return;
  throw new Problem('unauthorized', 'the request does not have the token of --control', CHALLENGE);
}
