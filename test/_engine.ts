import { H2_ENGINES, type H2Engine } from '../src/settings/settings.ts';

const wanted = process.env['WIREBIN_TEST_H2_ENGINE'];

/** What serves HTTP/2 in every service of the tests: `npm run test:engine` runs the same tests by wirebin's own frames. */
export const H2_ENGINE: H2Engine = H2_ENGINES.find((engine) => engine === wanted) ?? 'node';

export const BY_OWN_FRAMES = H2_ENGINE === 'wirebin';

/** What wirebin's own frames do otherwise than node:http2, as the rows of docs/limits.md have it. */
export const DIFFERENCES = [
  'A stream that is refused',
  'A connection error',
  'Streams above the last one of a GOAWAY',
  'A second response to a request',
  'DATA in small frames',
  '`/fault/slow-head`',
  '`/fault/head?how=uppercase`',
  '`/frames`',
  'A client that reads nothing',
  'A header section that is arriving when the connection closes',
  'A field block in more than nine frames',
  'A frame on a closed stream',
  'Streams above `--max-streams`',
  'Frames after a GOAWAY of the client',
  'More content than Content-Length',
  'The window of a stream',
  'A setting twice in one frame',
  'SETTINGS and PING acknowledged that were not sent',
  'Priorities (RFC 9113 5.3.2)',
] as const;

/** Whether a test does not hold for the engine under test, because of this difference. */
export const differs = (_row: (typeof DIFFERENCES)[number]): boolean => BY_OWN_FRAMES;
