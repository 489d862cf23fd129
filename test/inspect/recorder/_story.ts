import type { Carried } from './_tls-records.ts';

/** What `/connections/{id}` says, as far as it is compared here. */
export interface Story {
  readonly id: string;
  readonly protocol: string | null;
  readonly peer: string;
  readonly closed: { readonly by: string; readonly reason: string } | null;
  readonly tcp: {
    readonly reads: Transfers;
    readonly writes: Transfers;
    readonly ends: readonly { readonly by: string; readonly how: string }[];
  };
  readonly tls?: {
    readonly client: TlsSide;
    readonly server: TlsSide;
    readonly unread?: { readonly records: number; readonly bytes: number };
  };
  readonly http1?: {
    readonly requests: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly refused?: { readonly at: number; readonly reason: string };
  };
  readonly http2?: {
    readonly client: Http2Side;
    readonly server: Http2Side;
    readonly streams: number;
    readonly streams_left_out: number;
    readonly frames_left_out: number;
  };
  readonly undetected?: { readonly bytes: string; readonly length: number };
  readonly events: readonly StoryEvent[];
}

export interface StoryEvent extends Readonly<Record<string, unknown>> {
  readonly layer: string;
  readonly from: 'client' | 'server';
  readonly title: string;
}

interface Transfers {
  readonly count: number;
  readonly bytes: number;
  readonly at_ms_and_bytes: readonly (readonly [number, number])[];
  readonly left_out: number;
}

export interface TlsSide {
  readonly bytes: number;
  readonly records: Readonly<Record<string, { readonly records: number; readonly bytes: number }>>;
  readonly records_left_out: number;
  readonly close_notify: { readonly sent: boolean };
}

interface Http2Side {
  readonly frames: Readonly<Record<string, number>>;
  readonly settings_frames: { readonly frames: number; readonly acknowledged: number };
}

/** What TLS carried, or all bytes without TLS. */
export interface Plaintext {
  readonly client: Buffer;
  readonly server: Buffer;
  /** The records that carried it; undefined without TLS. */
  readonly carried: Readonly<Record<'client' | 'server', readonly Carried[]>> | undefined;
}

export interface Compared {
  readonly differences: readonly string[];
  /** Messages or streams that reached wirebin. */
  readonly requests: number;
  /** Echoes whose `wire` was compared. */
  readonly wires: number;
  readonly refused: number;
}
