import { CUBIC_REDUCTION, CubicCurve } from './cubic.ts';
import type { SentPacket } from './sent-packets.ts';

/** The window of a path that nothing is known of, in bytes (RFC 9002 7.2). */
export const initialWindow = (maxDatagramSize: number): number =>
  Math.min(10 * maxDatagramSize, Math.max(14_720, 2 * maxDatagramSize));

/**
 * The congestion controller: the states of RFC 9002 7.3 with the window of CUBIC (RFC 9438). The window is below the threshold
 * in slow start. Packets sent up to the start of a recovery period neither reduce nor increase it.
 */
export class CongestionControl {
  /** Whether less was sent than the window and the pace allow, for want of data or of the peer's flow-control credit. */
  isApplicationLimited = false;
  readonly #maxDatagramSize: number;
  /** In bytes, as the threshold. */
  #window: number;
  #threshold = Infinity;
  #bytesInFlight = 0;
  #recoveryStart = -Infinity;
  /** The window before the last reduction, in bytes. */
  #prior = 0;
  /** Where the window is to grow slowly, as loss is expected: W_max of RFC 9438. */
  #level = 0;
  /** How the window grows in congestion avoidance; undefined before it does. */
  #curve: CubicCurve | undefined;
  /** Whether one packet may exceed the window, to repair a loss early (RFC 9002 7.3.2). */
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

  /** Whether the window has room for a packet. Probes are not asked for (RFC 9002 7.5). */
  allows(size: number): boolean {
    return this.#bytesInFlight + size <= this.#window || this.#maySendRepair;
  }

  sent(size: number): void {
    this.#bytesInFlight += size;
    this.#maySendRepair = false;
  }

  /** RFC 9002 B.5, RFC 9438 4.2 */
  acknowledged({ size, sentAt }: SentPacket<unknown>, now: number, smoothedRtt: number): void {
    this.#bytesInFlight -= size;
    if (sentAt <= this.#recoveryStart) return;
    if (this.isApplicationLimited) {
      // What was not used says nothing of the path (RFC 9002 7.8), nor does the time count for the curve (RFC 9438 5.8).
      this.#curve = undefined;
    } else if (this.#window < this.#threshold) {
      this.#window += size;
    } else {
      this.#curve ??= new CubicCurve(
        this.#window,
        this.#level,
        this.#prior,
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
    this.#prior = this.#window;
    // A window that did not come as far as before leaves room for others (RFC 9438 4.7).
    const isSmaller = this.#window < this.#level;
    this.#level = this.#window * (isSmaller ? (1 + CUBIC_REDUCTION) / 2 : 1);
    this.#window = Math.max(this.#window * CUBIC_REDUCTION, this.#minWindow);
    this.#threshold = this.#window;
    this.#curve = undefined;
    this.#maySendRepair = true;
  }

  /** Takes packets out of flight that will be neither acknowledged nor lost, as their keys are discarded (RFC 9002 6.4). */
  discarded(packets: readonly SentPacket<unknown>[]): void {
    for (const { size } of packets) this.#bytesInFlight -= size;
  }

  /** Starts again from the minimum window, on persistent congestion (RFC 9002 7.6.2). */
  collapse(): void {
    this.#window = this.#minWindow;
    this.#recoveryStart = -Infinity;
    this.#level = 0;
    this.#curve = undefined;
  }

  get #minWindow(): number {
    return 2 * this.#maxDatagramSize;
  }
}
