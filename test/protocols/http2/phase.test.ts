import { expect, test } from 'vitest';
import {
  sessionPhaseAfter,
  type SessionPhase,
  type SessionStep,
} from '../../../src/protocols/http2/phase.ts';

test.each<[phase: SessionPhase, steps: SessionStep[]]>([
  ['serving', []],
  ['finishing', ['graceful', 'graceful']],
  ['rejecting', ['calm']],
  // A flood may come after GOAWAY, but no GOAWAY with NO_ERROR after that of a flood.
  ['rejecting', ['graceful', 'calm', 'graceful']],
  // A fault does not keep a connection that a limit has ended.
  ['rejecting', ['calm', 'detach']],
  ['detached', ['graceful', 'detach']],
  // The session of a detached connection is destroyed, but the connection goes on.
  ['detached', ['detach', 'destroy', 'calm', 'graceful']],
  ['destroyed', ['calm', 'destroy']],
  ['destroyed', ['destroy', 'detach', 'graceful', 'calm']],
])('a session is %s after %j', (phase, steps) => {
  expect(
    steps.reduce<SessionPhase>((at, step) => sessionPhaseAfter(at, step) ?? at, 'serving'),
  ).toBe(phase);
});
