import { CUBIC_REDUCTION, CubicCurve } from './cubic.ts';
import type { SentPacket } from './sent-packets.ts';

/** The initial congestion window, in bytes (RFC 9002 7.2). */
export const initialWindow = (maxDatagramSize: number): number =>
  Math.min(10 * maxDatagramSize, Math.max(14_720, 2 * maxDatagramSize));

/**
 * The congestion controller: the states of RFC 9002 7.3 with the window of CUBIC (RFC 9438). In slow start the window is below
 * the threshold. Packets sent before a recovery period starts neither reduce nor increase it.
 */
export class CongestionControl {
  /** Whether less is sent than window and pacing allow, for lack of data or of flow-control credit (RFC 9002 7.8). */
  isApplicationLimited = false;
  readonly #maxDatagramSize: number;
  /** In bytes. */
  #window: number;
  /** The slow start threshold, in bytes. */
  #threshold = Infinity;
  #bytesInFlight = 0;
  #recoveryStart = -Infinity;
  /** The window before the last reduction, in bytes: cwnd_prior of RFC 9438. */
  #priorWindow = 0;
  /** The window near which loss is expected, in bytes: W_max of RFC 9438. */
  #maxWindow = 0;
  /** Growth of the window in congestion avoidance; undefined until then. */
  #curve: CubicCurve | undefined;
  /** Whether one packet may exceed the window, to retransmit early (RFC 9002 7.3.2). */
  #maySendRepair = false;

  /** @param maxDatagramSize bytes of UDP payload */
  constructor(maxDatagramSize: number) {
    this.#maxDatagramSize = maxDatagramSize;
    this.#window = initialWindow(maxDatagramSize);
  }

  /** Bytes that may be in flight. */
  get window(): number {
    return this.#window;
  }

  get bytesInFlight(): number {
    return this.#bytesInFlight;
  }

  /** Whether the window has room for a packet. Do not ask for probes: the window does not block them (RFC 9002 7.5). */
  allows(size: number): boolean {
    return this.#bytesInFlight + size <= this.#window || this.#maySendRepair;
  }

  sent(size: number): void {
    this.#bytesInFlight += size;
    this.#maySendRepair = false;
  }

  /** RFC 9002 B.5, RFC 9438 4.2. */
  acknowledged({ size, sentAt }: SentPacket<unknown>, now: number, smoothedRtt: number): void {
    this.#bytesInFlight -= size;
    if (sentAt <= this.#recoveryStart) return;
    if (this.isApplicationLimited) {
      // An unused window does not grow (RFC 9002 7.8), and the time does not count for the curve (RFC 9438 5.8).
      this.#curve = undefined;
    } else if (this.#window < this.#threshold) {
      this.#window += size;
    } else {
      this.#curve ??= new CubicCurve(
        this.#window,
        this.#maxWindow,
        this.#priorWindow,
        this.#maxDatagramSize,
        now,
      );
      this.#window = this.#curve.grow(this.#window, size, now, smoothedRtt);
    }
  }

  /** @param packets in the order in which they were sent; at least one */
  lost(packets: readonly SentPacket<unknown>[], now: number): void {
    this.discarded(packets);
    const sentAt = packets.at(-1)?.sentAt ?? -Infinity;
    // Once per round trip (RFC 9002 7.3.2).
    if (sentAt <= this.#recoveryStart) return;
    this.#recoveryStart = now;
    this.#priorWindow = this.#window;
    // Fast convergence: a loss at a smaller window than the last one leaves room for new flows (RFC 9438 4.7).
    const isSmaller = this.#window < this.#maxWindow;
    this.#maxWindow = this.#window * (isSmaller ? (1 + CUBIC_REDUCTION) / 2 : 1);
    this.#window = Math.max(this.#window * CUBIC_REDUCTION, this.#minWindow);
    this.#threshold = this.#window;
    this.#curve = undefined;
    this.#maySendRepair = true;
  }

  /** Removes packets from the bytes in flight, such as those whose keys are discarded (RFC 9002 6.4). */
  discarded(packets: readonly SentPacket<unknown>[]): void {
    for (const { size } of packets) this.#bytesInFlight -= size;
  }

  /** Starts again from the minimum window, on persistent congestion (RFC 9002 7.6.2). */
  collapse(): void {
    this.#window = this.#minWindow;
    this.#recoveryStart = -Infinity;
    this.#maxWindow = 0;
    this.#curve = undefined;
  }

  get #minWindow(): number {
    return 2 * this.#maxDatagramSize;
  }
}
