import { Problem } from '../http/problem.ts';
import { textPayload, type Payload } from './payload.ts';

/** Wraps a callback so that its error fails the request. Thrown in an event, the error would end the process. */
export function guarded<Args extends unknown[]>(
  failing: { failed(error: unknown): void },
  work: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      work(...args);
    } catch (error) {
      failing.failed(error);
    }
  };
}

/** The problem to respond with after an error. It reveals nothing about an internal error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('internal-error', 'internal error in wirebin; its cause has been logged');
}

/** Whether an error only means that the client has disconnected. Call it only if the client has. */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Problem || error.name === 'AbortError' || 'syscall' in error) return true;
  return 'code' in error && /^ERR_(?:HTTP2|STREAM)_/.test(String(error.code));
}

interface Responding {
  respond(status: number, fields: string[], payload: Payload, close: boolean): void;
}

/** Responds to an error outside dispatch, without common fields and without the form of a dialect. */
export function respondToError(exchange: Responding, error: unknown): void {
  const problem = problemOf(error);
  const document = problem.toDocument();
  const length = String(Buffer.byteLength(document));
  const fields = ['Content-Type', 'application/problem+json', 'Content-Length', length];
  exchange.respond(problem.status, fields, textPayload(document), true);
}
