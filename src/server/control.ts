import { hash, timingSafeEqual } from 'node:crypto';
import { authorizationToken } from '../http/authorization.ts';
import type { DrainPlan } from './rehearsal.ts';
import type { Request } from './request.ts';

/** State of /readyz, which fails unless it is `ready`. */
export type Readiness = 'ready' | 'not-ready' | 'draining';

/** Actions of /control on the service, or on all workers. */
export interface ControlActions {
  /** Makes /readyz succeed (`true`) or fail, unless the service is draining. */
  setReady(ready: boolean): Promise<void>;
  /** Starts a rehearsal of a drain. @returns false if the service is already draining */
  rehearseDrain(plan: DrainPlan): Promise<boolean>;
  /** Aborts all connections, and ends the process if it is wirebin's own. */
  exit(code: number): void;
}

/** The actions of /control, and the check of its token (--control). */
export class Control {
  readonly actions: Omit<ControlActions, 'exit'>;
  /** Defaults of the parameters of a drain. */
  readonly defaults: DrainPlan;
  readonly #digest: Buffer;
  readonly #exit: ControlActions['exit'];

  constructor(token: string, actions: ControlActions, defaults: DrainPlan) {
    this.#digest = hash('sha256', token, 'buffer');
    this.actions = actions;
    this.defaults = defaults;
    this.#exit = (code) => actions.exit(code);
  }

  /** Whether the request has the token. Compares hashes of equal length in constant time. */
  isAuthorized({ fields }: Request): boolean {
    const token = authorizationToken(fields, 'bearer');
    return token !== undefined && timingSafeEqual(hash('sha256', token, 'buffer'), this.#digest);
  }

  /** Exits after the response to a request has been sent. */
  exitAfter(request: Request, code: number): void {
    // Deferred, so that observers of the request are called first.
    request.whenFinished(() => queueMicrotask(() => this.#exit(code)));
  }
}
