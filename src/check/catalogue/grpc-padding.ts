import { http2DetailsSchema } from '../../echo/http2-schema.ts';
import { Flag, frame, FrameType } from '../../wire/http2/frame.ts';
import { fieldBlock } from '../../wire/http2/hpack-encoder.ts';
import { topic } from '../check.ts';
import { padded } from '../client/http2-frames.ts';
import { FIELDS, MESSAGE } from '../grpc-message.ts';
import { outcomeOf, valueOf, type FieldLine } from '../message.ts';
import { reader } from '../origin.ts';
import { differs, expectSame, notApplicable, pass } from '../verdict.ts';
import { answeredWith, GRPC } from './grpc.ts';

const PADDING = 255;
const detailsOf = reader(http2DetailsSchema);

const HEAD: readonly FieldLine[] = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];

/** The frames of a response, each with padding. */
function paddedFrames(stream: number): Buffer {
  const each = [
    { type: FrameType.headers, flags: Flag.endHeaders, payload: fieldBlock(HEAD) },
    { type: FrameType.data, flags: 0, payload: MESSAGE },
    {
      type: FrameType.headers,
      flags: Flag.endHeaders | Flag.endStream,
      payload: fieldBlock([['grpc-status', '0']]),
    },
  ];
  const frames = each.map((sent) => padded({ ...sent, stream }, PADDING));
  return Buffer.concat(
    frames.map(({ type, flags, payload }) => frame(type, flags, stream, payload)),
  );
}

/** Padding between the target and the origin (RFC 9113 6.1, 6.2). */
export const grpcPaddingChecks = topic(GRPC, [
  {
    id: 'grpc/padded-response',
    section: 'RFC 9113 6.1',
    rule: 'A response of the origin with padding in HEADERS, DATA and trailers is forwarded without the padding.',
    level: 'must',
    risk: 'data-loss',
    needs: [...GRPC.needs, 'raw'],
    phase: 'alone',
    async run(session) {
      const answer = await answeredWith(session, paddedFrames);
      if (typeof answer === 'string') return notApplicable(answer);
      const { transfer } = answer;
      const { content, trailers = [] } = transfer.response ?? {};
      const status = valueOf(trailers, 'grpc-status') ?? 'missing';
      const which = content?.equals(MESSAGE) === true ? 'the message' : 'another message';
      const found = `${outcomeOf(transfer)}, ${which}, grpc-status: ${status}`;
      return expectSame('200, the message, grpc-status: 0', found, transfer);
    },
  },
  {
    id: 'grpc/padding-sent',
    section: 'RFC 9113 6.2',
    rule: 'Whether the target pads the first HEADERS frame of a connection to the origin.',
    level: 'info',
    async run(session) {
      const transfer = await session.send({ target: '/http2', fields: FIELDS });
      const frames = detailsOf(transfer.response)?.http2?.first_flight.frames ?? [];
      const head = frames.find(({ type }) => type === 'HEADERS');
      if (!head) return notApplicable('the origin does not report which frames came first');
      return (Number(head.flags) & Flag.padded) === 0
        ? pass('without padding')
        : differs(
            'with padding, because of which gRPC servers such as grpcio 1.85 refuse calls',
            transfer,
          );
    },
  },
]);
