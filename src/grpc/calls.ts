import { allowed } from '../server/allow.ts';
import { fieldPairs, fieldValue } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { empty, withFields } from '../server/reply.ts';
import { addCorsFields } from '../server/response-fields.ts';
import type { Dialect } from '../server/dialect.ts';
import { Router } from '../server/router.ts';
import { GrpcStatus, statusOfHttp } from '../wire/grpc/status.ts';
import type { CallLimits } from './call.ts';
import { flavorOf } from './flavor.ts';
import { CODINGS, replyWithStatus, statusOf } from './status-reply.ts';
import type { Method, Service } from './service.ts';
import { servedFiles, type FilesState } from './files.ts';

export interface CallSettings extends FilesState {
  /** Maximum of any delay or duration, in seconds. */
  readonly maxDuration: number;
  /** Maximum bytes of a message. */
  readonly maxBodySize: number;
  /** Maximum seconds of a call without a deadline. */
  readonly answerTimeout: number;
}

/** HTTP statuses of requests that are no calls: with another method, or not on HTTP/2. */
const NO_CALL = new Set([405, 505]);

/** The dialect of gRPC: the methods of all services. */
export function createCalls(state: CallSettings): Dialect {
  const { maxBodySize, answerTimeout, maxDuration } = state;
  const limits = {
    maxMessage: maxBodySize,
    maxDuration: answerTimeout * 1000,
    maxWait: maxDuration * 1000,
  };
  const services = servedFiles(state).flatMap((file) => file.services ?? []);
  const endpoints = services.flatMap((service) =>
    Object.entries(service.methods).map(([name, method]) =>
      callEndpoint(service, name, method, limits),
    ),
  );
  return {
    name: 'grpc',
    router: new Router(endpoints),
    lengthForHead: false,
    problem(problem, request) {
      const status = NO_CALL.has(problem.status) ? problem.status : 200;
      return withFields(replyWithStatus(request, statusOf(problem), status), problem.fields);
    },
    chaos(disturbance, request) {
      if (disturbance.kind !== 'status') return undefined;
      const { status } = disturbance;
      const drawn = new GrpcStatus(statusOfHttp(status), `chaos: status=${status}`);
      return replyWithStatus(request, drawn);
    },
    options: (_, target) => target && empty(204, ['Allow', allowed(target.methods)]),
    addCorsFields(exchange, fields) {
      if (exchange.method !== 'OPTIONS') {
        const names = new Set(Array.from(fieldPairs(fields), ([name]) => name));
        names.add('grpc-status').add('grpc-message').add('grpc-status-details-bin');
        fields.push('Access-Control-Expose-Headers', [...names].join(', '));
      }
      addCorsFields(exchange, fields);
    },
  };
}

/** The endpoint of a method. */
function callEndpoint(
  service: Service,
  name: string,
  method: Method,
  limits: CallLimits,
): Endpoint {
  return endpoint({
    path: `/${service.name}/${name}`,
    methods: ['POST'],
    group: 'echo',
    summary: `${service.name}.${name}`,
    content: 'streamed',
    responses: {},
    handle({ request }) {
      const { fields, version } = request;
      const flavor = flavorOf(fieldValue(fields, 'content-type'));
      if (!flavor) {
        const status = new GrpcStatus('UNKNOWN', 'messages must be protocol buffers');
        return replyWithStatus(request, status, 415);
      }
      if (!flavor.isWeb && version !== 'HTTP/2.0') {
        throw new Problem('version-not-supported', 'gRPC needs HTTP/2');
      }
      try {
        checkCoding(fieldValue(fields, 'grpc-encoding'));
        return method.begin(request, flavor, limits);
      } catch (error) {
        if (!(error instanceof GrpcStatus)) throw error;
        return replyWithStatus(request, error);
      }
    },
  });
}

function checkCoding(coding = 'identity'): void {
  if (CODINGS.includes(coding)) return;
  throw new GrpcStatus('UNIMPLEMENTED', `grpc-encoding: ${coding} is not ${CODINGS.join(' or ')}`);
}
