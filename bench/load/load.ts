/** What a load process is told, as JSON in its first argument. */
export interface Order {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly streams: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly handshakes: boolean;
}

/** What a load process found, as JSON on its stdout. */
export interface Load {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  /** Milliseconds; undefined where they were not asked for. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  /** Of the load itself. */
  readonly cpuSeconds: number | undefined;
}
