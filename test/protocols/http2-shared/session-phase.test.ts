import { expect, test } from 'vitest';
import {
  sessionPhaseAfter,
  type SessionPhase,
  type SessionStep,
} from '../../../src/protocols/http2-shared/session-phase.ts';

test.each<[phase: SessionPhase, steps: SessionStep[]]>([
  ['serving', []],
  ['finishing', ['finish', 'finish']],
  ['leaving', ['announce', 'announce']],
  ['finishing', ['announce', 'finish', 'announce']],
  // The acknowledgement of the PING may come, or be given up, when the session is over.
  ['ending', ['announce', 'end', 'finish']],
  ['closed', ['announce', 'close', 'finish']],
  ['ending', ['end']],
  // A flood may come after GOAWAY, but no GOAWAY with NO_ERROR after that of a flood.
  ['ending', ['finish', 'end', 'finish']],
  // A fault does not keep a connection that a limit has ended.
  ['ending', ['end', 'detach']],
  ['detached', ['finish', 'detach']],
  // The session of a detached connection is destroyed, but the connection goes on.
  ['detached', ['detach', 'close', 'end', 'finish']],
  ['closed', ['end', 'close']],
  ['closed', ['close', 'detach', 'finish', 'end']],
])('a session is %s after %j', (phase, steps) => {
  expect(
    steps.reduce<SessionPhase>((at, step) => sessionPhaseAfter(at, step) ?? at, 'serving'),
  ).toBe(phase);
});
