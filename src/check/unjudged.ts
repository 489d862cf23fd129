/**
 * Why a check has no verdict where the check itself is not at fault: the target or an origin did something that kept it
 * from judging. The outcome is `blocked`.
 */
export class Unjudged extends Error {}

/** Whether what was thrown says something of a connection or of the target, and not of a fault in the check. */
export function isUnjudged(error: unknown): boolean {
  // Node tries each address of a name, and collects the errors.
  if (error instanceof AggregateError) return error.errors.every(isUnjudged);
  if (error instanceof Unjudged) return true;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return false;
  // Errors of sockets and certificates; Node's own, such as of arguments, begin with ERR_ too.
  return !error.code.startsWith('ERR_') || /^ERR_(?:SSL|TLS)_/.test(error.code);
}
