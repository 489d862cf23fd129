import { Flag, frame, FrameType, uint32 } from '../../wire/http2/frame.ts';
import { fieldBlock } from '../../wire/http2/hpack-encoder.ts';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { endingOf, valueOf, type Transfer } from '../message.ts';
import { CALL, MESSAGE } from '../grpc-message.ts';
import type { Session } from '../session.ts';
import { answeredWith, GRPC } from './grpc.ts';

/** HTTP/2 error code INTERNAL_ERROR (RFC 9113 7). */
const INTERNAL_ERROR = 2;

/** The frames of a response that ends in the middle of a message. */
function cutOffFrames(stream: number): Buffer {
  const fields = [
    [':status', '200'],
    ['content-type', 'application/grpc'],
  ] as const;
  return Buffer.concat([
    frame(FrameType.headers, Flag.endHeaders, stream, fieldBlock(fields)),
    frame(FrameType.data, 0, stream, MESSAGE),
    frame(FrameType.rstStream, 0, stream, uint32(INTERNAL_ERROR)),
  ]);
}

/** `grpc-status` of a response, in its header section or its trailers. */
function grpcStatusOf({ response }: Transfer): string | undefined {
  const { fields = [], trailers = [] } = response ?? {};
  return valueOf([...fields, ...trailers], 'grpc-status');
}

/** The gRPC status, HTTP status and ending of a call, in words. */
function callResultText(transfer: Transfer): string {
  const status = grpcStatusOf(transfer) ?? 'none';
  const { response, ending } = transfer;
  return response && ending === 'complete'
    ? `${response.status}, grpc-status: ${status}`
    : endingOf(transfer);
}

/**
 * Any error that the client sees passes: gRPC clients map an HTTP status other than 200, and a reset, to a gRPC status.
 */
function judgeError(transfer: Transfer): Verdict {
  const { response, ending } = transfer;
  const status = grpcStatusOf(transfer);
  const found = callResultText(transfer);
  const isSilent = ending === 'timeout';
  const isEnd = response !== undefined && ending === 'complete';
  const isSuccess = isEnd && (status === '0' || (status === undefined && response.status < 400));
  return isSilent || isSuccess
    ? fail('grpc-status, an HTTP error status or a reset stream', found, transfer)
    : pass(found);
}

/** Calls a method that the origin answers with a fault. */
function callWithFault(session: Session, fault: string): Promise<Transfer> {
  return session.send({ ...CALL, target: `/fault/${fault}` });
}

const FAILED = {
  ...GRPC,
  section: 'RFC 9110 15.6.3',
  needs: [...GRPC.needs, 'faults'],
  // Calls may share a connection to the origin even where other requests do not.
  phase: 'alone',
} as const;
const CLOSED = 'close?at=start';

/** Checks of the error that a gRPC client gets if the origin does not answer, or only in part. */
export const grpcErrorChecks = topic(FAILED, [
  {
    id: 'grpc/origin-closes',
    rule: 'A call ends with an error if the origin closes the connection without a response.',
    run: async (session) => judgeError(await callWithFault(session, CLOSED)),
  },
  {
    id: 'grpc/origin-resets',
    rule: 'A call ends with an error if the origin resets its stream without a response.',
    run: async (session) =>
      judgeError(await callWithFault(session, 'rst-stream?at=start&code=INTERNAL_ERROR')),
  },
  {
    id: 'grpc/cut-off',
    section: 'RFC 9113 8.1',
    rule: 'A call ends with an error if the origin resets its stream after a message, without trailers.',
    risk: 'data-loss',
    needs: [...GRPC.needs, 'raw'],
    async run(session) {
      const answer = await answeredWith(session, cutOffFrames);
      return typeof answer === 'string' ? notApplicable(answer) : judgeError(answer.transfer);
    },
  },
  {
    id: 'grpc/own-error',
    rule: 'Whether the target answers a call of gRPC with grpc-status where the origin does not respond.',
    level: 'info',
    async run(session) {
      const transfer = await callWithFault(session, CLOSED);
      const found = callResultText(transfer);
      return grpcStatusOf(transfer) === undefined ? differs(found, transfer) : pass(found);
    },
  },
]);
