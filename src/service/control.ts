import { Control, type ControlActions } from '../server/control.ts';
import type { Settings } from '../settings/settings.ts';

/** Creates --control; undefined without it. */
export function createControl(
  { control: token, drainDelay, drainTimeout }: Settings,
  actions: ControlActions,
): Control | undefined {
  if (token === undefined) return undefined;
  return new Control(token, actions, { lag: drainDelay, timeout: drainTimeout, down: 0 });
}
