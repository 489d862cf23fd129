import { hash, timingSafeEqual } from 'node:crypto';
import { authorizationToken } from '../http/authorization.ts';
import type { DrainPlan } from './rehearsal.ts';
import type { Request } from './request.ts';

/** Why /readyz fails, if it does. */
export type Readiness = 'ready' | 'not-ready' | 'draining';

/** What can be done to the service; with several workers, to all of them. */
export interface ControlActions {
  /** Whether /readyz succeeds, unless the service is draining. */
  setReady(ready: boolean): Promise<void>;
  /** @returns false if the service is already draining */
  rehearseDrain(plan: DrainPlan): Promise<boolean>;
  /** Aborts everything, and ends the process if it is wirebin's own. */
  exit(code: number): void;
}

/** Lets clients that send the token control the service (--control). */
export class Control {
  readonly actions: Omit<ControlActions, 'exit'>;
  /** The values of parameters that are absent. */
  readonly defaults: DrainPlan;
  readonly #digest: Buffer;
  readonly #exit: ControlActions['exit'];

  constructor(token: string, actions: ControlActions, defaults: DrainPlan) {
    this.#digest = hash('sha256', token, 'buffer');
    this.actions = actions;
    this.defaults = defaults;
    this.#exit = (code) => actions.exit(code);
  }

  /** Compares digests, which have the same length, in constant time. */
  isAuthorized({ fields }: Request): boolean {
    const token = authorizationToken(fields, 'bearer');
    return token !== undefined && timingSafeEqual(hash('sha256', token, 'buffer'), this.#digest);
  }

  /** Exits once the response to this request has been sent. */
  exitAfter(request: Request, code: number): void {
    const { observer } = request;
    request.observer = {
      responded: (...event) => observer?.responded(...event),
      finished: (...event) => {
        observer?.finished(...event);
        this.#exit(code);
      },
    };
  }
}
