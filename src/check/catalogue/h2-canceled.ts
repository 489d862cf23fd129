import { FrameType, uint32 } from '../../wire/http2/frame.ts';
import { topic } from '../check.ts';
import type { Http2Client } from '../client/http2-client.ts';
import { outcomeOf, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { fail, notApplicable, pass } from '../verdict.ts';
import { KiB, PROMPT } from './bounds.ts';
import { ERROR_CANCEL } from './cancel.ts';
import { CONNECTION } from './h2-frame.ts';

/** Uploads that are canceled one after the other, and bytes of each, as far as flow control allows. */
const UPLOADS = 24;
const BYTES = 64 * KiB;

const UPLOAD = { method: 'POST', target: '/upload', framing: 'chunked' } as const;

/** Cancels an upload once its content is sent. @returns how many bytes of it were sent */
async function cancelUpload(session: Session, client: Http2Client): Promise<number> {
  const stream = client.start(tagged(session.newTag(), { ...UPLOAD, content: '' }));
  const content = Buffer.alloc(Math.min(BYTES, client.window, stream.window), 'x');
  await client.sendContent(stream, content, session.time, undefined, false);
  client.sendFrame(FrameType.rstStream, 0, stream.id, uint32(ERROR_CANCEL));
  return content.length;
}

async function upload(session: Session, client: Http2Client): Promise<Transfer> {
  const content = Buffer.alloc(BYTES, 'x');
  return session.sendOn(client, { ...UPLOAD, content });
}

/** The connection after streams that the client has canceled. */
export const http2CanceledChecks = topic(CONNECTION, [
  {
    id: 'h2/canceled-uploads',
    // "The receiver of a frame sends a WINDOW_UPDATE frame as it consumes data and frees up space": what is discarded too.
    section: 'RFC 9113 6.9.1',
    rule: `After ${UPLOADS} canceled uploads of up to 64 KiB, their bytes do not count against the window of the connection.`,
    risk: 'data-loss',
    observes: 'arrival',
    async run(session) {
      const client = await session.openHttp2();
      const before = await upload(session, client);
      if (before.response?.status !== 200)
        return notApplicable(`an upload is answered with ${outcomeOf(before)}`);
      const { window } = client;
      let [canceled, bytes] = [0, 0];
      while (canceled < UPLOADS && (await client.until(() => client.window > 0, PROMPT))) {
        bytes += await cancelUpload(session, client);
        canceled++;
      }
      const after = await upload(session, client);
      const found = `${outcomeOf(after)} after ${canceled} canceled ones, with ${client.window} bytes of the window left`;
      if (after.response?.status !== 200) return fail('an upload is answered', found, after);
      return bytes < window
        ? notApplicable(`its window of ${window} bytes is more than all uploads have`)
        : pass(`${canceled} canceled`);
    },
  },
]);
