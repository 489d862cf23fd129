import { Problem } from '../http/problem.ts';
import { textPayload, type Payload } from './payload.ts';

/** What has failed if work of it throws. */
interface Failing {
  failed(error: unknown): void;
}

/** Work that is called in an event, where an error would end the process. */
export function guarded<Args extends unknown[]>(
  failing: Failing,
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

/** The problem that is the response to an error. Of an error of wirebin it reveals nothing. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('internal-error', 'internal error in wirebin; its cause has been logged');
}

/** Whether an error only says that the client has disconnected, if it has. */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Problem || error.name === 'AbortError' || 'syscall' in error) return true;
  return 'code' in error && /^ERR_(?:HTTP2|STREAM)_/.test(String(error.code));
}

interface Responding {
  respond(status: number, fields: string[], payload: Payload, close: boolean): void;
}

/** Responds to an error where dispatch cannot, and so without its fields and in no dialect. */
export function respondToError(exchange: Responding, error: unknown): void {
  const problem = problemOf(error);
  const document = problem.toDocument();
  const length = String(Buffer.byteLength(document));
  const fields = ['Content-Type', 'application/problem+json', 'Content-Length', length];
  exchange.respond(problem.status, fields, textPayload(document), true);
}
