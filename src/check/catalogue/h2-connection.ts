import { FrameType, SettingId, uint32 } from '../../wire/http2/frame.ts';
import { topic } from '../check.ts';
import { differs, expectSame, fail, pass } from '../verdict.ts';
import { PING_DATA } from '../client/http2-frames.ts';
import { receivedOf, tagged } from '../origin.ts';

// Each check names the section of its rule.
export const CONNECTION = {
  section: 'RFC 9113',
  level: 'must',
  risk: 'interop',
  fronts: ['h2'],
  observes: 'target',
} as const;

/** Acknowledgements, concurrent streams and windows on HTTP/2 at the front (RFC 9113 5 and 6). */
export const http2ConnectionChecks = topic(CONNECTION, [
  {
    id: 'h2/ping',
    section: 'RFC 9113 6.7',
    rule: 'PING is acknowledged.',
    async run(session) {
      const client = await session.openHttp2();
      client.sendFrame(FrameType.ping, 0, 0, PING_DATA);
      return (await client.until(() => client.pongs > 0, session.time))
        ? pass()
        : fail('an acknowledgement', 'none');
    },
  },
  {
    id: 'h2/settings-acknowledged',
    section: 'RFC 9113 6.5.3',
    rule: 'SETTINGS are acknowledged.',
    async run(session) {
      const client = await session.openHttp2();
      return (await client.until(() => client.acknowledged > 0, session.time))
        ? pass()
        : fail('an acknowledgement, which has no payload', 'none');
    },
  },
  {
    id: 'h2/concurrent',
    section: 'RFC 9113 5.1.2',
    rule: 'Twenty concurrent streams are served.',
    level: 'quality',
    risk: 'latency',
    async run(session) {
      const client = await session.openHttp2();
      const limit = client.settings?.get(SettingId.maxConcurrentStreams) ?? Infinity;
      const count = Math.min(limit, 20);
      const tags = Array.from({ length: count }, () => session.newTag());
      const streams = tags.map((tag) => client.start(tagged(tag, { target: `/anything/${tag}` })));
      const transfers = await Promise.all(
        streams.map((stream) => client.finish(stream, session.time)),
      );
      const received = transfers.map((transfer, at) => receivedOf(transfer, tags[at] ?? ''));
      // Requests are told apart by the tag in the target.
      const mixed = received.findIndex((each, at) =>
        tags.some((tag, of) => of !== at && each?.path.includes(tag)),
      );
      if (mixed !== -1) {
        const evidence = transfers.slice(mixed, mixed + 1);
        return fail('the response to its request', 'that of another stream', ...evidence);
      }
      const served = received.filter((each) => each !== undefined).length;
      if (served === count && count < 20) return differs(`only ${count} streams are allowed`);
      return expectSame(`${count} responses`, `${served} responses`, ...transfers.slice(0, 1));
    },
  },
  {
    id: 'h2/window-respected',
    section: 'RFC 9113 6.9',
    rule: 'The target sends no more DATA than the window of the client allows.',
    async run(session) {
      const client = await session.openHttp2({
        settings: [[SettingId.initialWindowSize, 1000]],
        renewsWindows: false,
      });
      await client.until(() => client.acknowledged > 0 || client.isClosed, session.time);
      const stream = client.start({ target: session.unique('/range/5000') });
      await client.until(() => stream.contentLength >= 1000 || client.isClosed, session.time);
      const before = stream.contentLength;
      client.sendFrame(FrameType.windowUpdate, 0, stream.id, uint32(10_000));
      const transfer = session.record(await client.finish(stream, session.time));
      if (before > 1000)
        return fail('1000 bytes', `${before} bytes before WINDOW_UPDATE`, transfer);
      const { contentLength: bytes } = stream;
      return transfer.ending === 'complete'
        ? expectSame('5000 bytes', `${bytes} bytes`)
        : differs(`${bytes} of 5000 bytes, then ${transfer.ending}`);
    },
  },
]);
