// What h2spec is known to find, by what serves HTTP/2 (Node's major version, or wirebin's own frames) and by transport,
// and why. Whatever else fails makes the gate red, and so does whatever stands here and no longer fails.

const CLOSED =
  'Node tells nghttp2 to forget closed streams, and what still comes on one is ignored, as RFC 9113 5.1 has it for a while after RST_STREAM';
const PING =
  'Node ends the session at an unsolicited PING ACK, which a client has no reason to send. The PING after it is answered if both arrive together';
const PRIORITY = 'nghttp2 ignores PRIORITY, which RFC 9113 5.3.2 has deprecated, wrong ones too';
const WINDOW = 'Node ends the whole session, where only the stream has to end';
const DEPENDENCY =
  'priorities have no effect, since RFC 9113 5.3.2 has deprecated them: neither has a stream that depends on itself';
const PREFACE =
  'on a port that speaks HTTP/1.1 too, what is no preface is an HTTP/1.1 message: it gets 400 and the close';

const always = {
  'http2/5.1/8': CLOSED,
  'http2/5.1/9': CLOSED,
  'http2/5.1/11': CLOSED,
  'http2/5.1/12': CLOSED,
  'http2/5.1.1/2': CLOSED,
};
const since22 = {
  ...always,
  'http2/5.3.1/2': PRIORITY,
  'http2/6.3/1': PRIORITY,
  'http2/6.9.1/3': WINDOW,
};
const nodes = {
  20: always,
  22: since22,
  24: since22,
  26: since22,
};

const ownFrames = { 'http2/5.3.1/1': DEPENDENCY, 'http2/5.3.1/2': DEPENDENCY };

/** How many cases there are, so that a report that was cut short is no success. */
export const CASES = 145;

/**
 * @param engine the value of --h2-engine
 * @returns the reason by case, as `http2/5.1/8`; undefined for a Node that has no list
 */
export function expectedFailures(major, transport, engine) {
  const own = transport === 'clear' ? { 'http2/3.5/2': PREFACE } : {};
  const known = engine === 'wirebin' ? ownFrames : nodes[major];
  return known && { ...known, ...own };
}

/**
 * @param engine the value of --h2-engine
 * @returns the cases that pass or fail as two writes of h2spec come in one segment or in two, and why; all else is exact
 */
export function races(engine) {
  return engine === 'wirebin' ? {} : { 'http2/6.7/2': PING };
}
