import type { Duplex, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { hasNoContent } from '../../http/status.ts';
import type { TerminationReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { LINGER_TIMEOUT } from '../../net/lingering-close.ts';
import { guarded } from '../../server/failure.ts';
import { isLargeHead, type Fault, type FaultOf } from '../../server/fault.ts';
import { perform, type FaultStage } from '../../server/fault-plan.ts';
import type { ExchangeObserver } from '../../server/observer.ts';
import type { Payload } from '../../server/payload.ts';
import type { ClientStart, SessionControl, StreamFacts, Windows } from '../../server/request.ts';
import { UpgradeChannel } from '../../server/upgrade.ts';
import { ErrorCode } from '../../wire/http2/names.ts';
import { ProtocolExchange } from '../exchange.ts';
import { enlarge } from './faults/head.ts';
import { readWithPause, type HeldCredit } from './faults/no-read.ts';
import { planOf, type Http2Step, type PlannedFault, type Sending } from './faults/plan.ts';

/** The session, as seen by its exchanges. */
export interface StreamSession {
  readonly connection: TcpConnection;
  readonly control: SessionControl;
  readonly opening: ClientStart;
  readonly observer: ExchangeObserver;
}

/** A response without its fault. */
export interface SoundResponse {
  readonly status: number;
  readonly fields: readonly string[];
  /** Empty if the method or the status does not allow any. */
  readonly content: Payload;
  /** Whether neither method nor status allows content (RFC 9110 6.4.1). */
  readonly endsWithHead: boolean;
}

/** A request and its response on a stream (RFC 9113 8.1). */
export abstract class StreamExchange<
  Session extends StreamSession,
> extends ProtocolExchange<TcpConnection> {
  readonly version = 'HTTP/2.0';
  abstract readonly method: string;
  abstract readonly body: Readable;
  terminated: TerminationReason | undefined;
  protected readonly session: Session;
  readonly #openStreams: number;

  constructor(session: Session) {
    super(session.connection);
    this.session = session;
    this.#openStreams = session.connection.requests.open;
  }

  /** The identifier of the stream (RFC 9113 5.1.1). */
  protected abstract readonly id: number;
  /** Error code of RST_STREAM; 0 without. */
  protected abstract readonly errorCode: number;
  protected abstract windows(): Windows | undefined;
  protected abstract readonly credit: HeldCredit;
  /** What the session can send of a fault. */
  protected abstract readonly sending: Sending;
  protected abstract stageOf(response: SoundResponse): FaultStage<Http2Step>;
  /** Discards the content of the request from now on. */
  protected abstract discard(): void;
  /** Resets the stream, which ends request and response. */
  abstract reset(code: number): void;
  /** Begins a response whose content, like that of the request, is of another protocol. @returns both */
  protected abstract openTunnel(status: number, fields: readonly string[]): Duplex;

  get stream(): StreamFacts {
    const { control, opening } = this.session;
    return {
      id: this.id,
      open: this.#openStreams,
      errorCode: this.errorCode,
      session: control,
      opening,
      windows: () => this.windows(),
    };
  }

  protected override reportError(error: unknown): void {
    this.session.observer.internalError?.(error);
  }

  protected override breakOff(): void {
    if (!this.isFinished) this.resetFor('internal-error', ErrorCode.internalError);
  }

  /** Resets the stream because of a limit or an internal error. */
  resetFor(reason: TerminationReason, code: number): void {
    this.noteTermination(reason);
    this.reset(code);
  }

  /** Notes the limit or internal error that ends the stream. Only the first one counts. */
  noteTermination(reason: TerminationReason): void {
    if (this.terminated !== undefined) return;
    this.terminated = reason;
    this.session.observer.terminated?.(reason, this.connection);
  }

  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void {
    if (isLargeHead(fault)) {
      // Synchronous, because dispatch calls this within the turn budget if the header section is large.
      enlarge(fields, status, fault);
      this.respond(status, fields, payload, false);
    } else if (fault.kind === 'no-read') this.#respondLate(status, fields, payload, fault);
    else {
      const endsWithHead = this.method === 'HEAD' || hasNoContent(status);
      const content = endsWithHead ? '' : payload;
      this.#perform(fault, { status, fields, content, endsWithHead });
    }
  }

  #respondLate(
    status: number,
    fields: string[],
    payload: Payload,
    fault: FaultOf<'no-read'>,
  ): void {
    if (!this.mayRespond()) return;
    this.status = status;
    readWithPause(this, this.credit, fault)
      .then(() => this.respond(status, fields, payload, false))
      .catch((error: unknown) => this.failed(error));
  }

  #perform(fault: PlannedFault, response: SoundResponse): void {
    const { id, sending, connection } = this;
    const steps = planOf(fault, {
      ...response,
      ...sending,
      stream: id,
      isSecure: connection.tls !== undefined,
    });
    if (!this.mayRespond()) return;
    this.status = response.status;
    this.discard();
    // Deferred, because dispatch notes the fault after this, and this may be called within an nghttp2 callback.
    turn()
      .then(async () => {
        if (!this.isGone) await perform(steps, response.content, this.stageOf(response));
      })
      .catch((error: unknown) => this.failed(error));
  }

  respondWithUpgrade(
    status: number,
    fields: string[],
    begin: (channel: UpgradeChannel) => void,
  ): void {
    if (!this.mayRespond()) return;
    // The request timeout does not apply, because the content lasts as long as the connection.
    this.isProgressing = () => true;
    const tunnel = this.openTunnel(status, fields);
    this.status = status;
    const end = (): void => {
      tunnel.end();
      // The client may never end its direction.
      const timer = setTimeout(() => this.reset(ErrorCode.noError), LINGER_TIMEOUT).unref();
      this.whenFinished(() => clearTimeout(timer));
    };
    const ends = {
      end,
      abort: () => this.reset(ErrorCode.cancel),
      reset: () => this.reset(ErrorCode.internalError),
    };
    guarded(this, () => begin(new UpgradeChannel(tunnel, this, ends)))();
  }
}
