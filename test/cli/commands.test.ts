import { expect, test } from 'vitest';
import { readInvocation } from '../../src/cli/command-line.ts';
import { commands } from '../../src/cli/commands.ts';
import { helpText } from '../../src/cli/help.ts';

test.each(commands)('--help names $name, and it is a command', ({ name }) => {
  expect(() => readInvocation([`--${name}`], {})).toThrow(`did you mean wirebin ${name}?`);
  expect(helpText()).toMatch(new RegExp(String.raw`^wirebin \[?${name}\b`, 'm'));
  // `health` is run before the command line is read: test/main.health.test.ts.
  if (name !== 'health') expect(() => readInvocation([name], {})).not.toThrow();
});
