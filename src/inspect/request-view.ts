import type { ConnectionInspection } from './connection-inspection.ts';

/** A request as sent, for the echo. */
export type RequestView = NonNullable<ReturnType<ConnectionInspection['requestView']>>;

// net/ knows nothing of what is shown.
declare module '../net/inspector.ts' {
  interface ConnectionInspector {
    readonly requestView: ConnectionInspection['requestView'];
  }
}
