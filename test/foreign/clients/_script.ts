import { describe, expect, test } from 'vitest';
import { isHttp2, isSecure, type Transport } from '../../_client.ts';
import { outputOf, toldOutcomes, type Command } from '../_suite.ts';
import { startedOrigin } from './_origin.ts';

/** A client that is driven by a script, whose language it is for. */
export interface Scripted {
  readonly name: string;
  readonly transports: readonly Transport[];
  /** Of the service. */
  readonly settings?: readonly string[];
  /** Makes it ready; @returns what is missing, in words for a person, or how to run it */
  readonly prepare: () => Promise<string | Command>;
}

/** Runs the script over each of the transports: everything in it has to pass. */
export function runScript({ name, transports, settings = [], prepare }: Scripted): void {
  const origin = startedOrigin(...settings);
  describe.each(transports)(`${name} over %s`, (transport) => {
    test('everything passes', async ({ skip }) => {
      const prepared = await prepare();
      if (typeof prepared === 'string') return skip(`not run: ${prepared}`);
      const output = await outputOf({
        ...prepared,
        environment: {
          ...prepared.environment,
          FOREIGN_URL: origin().url(isSecure(transport)),
          FOREIGN_HTTP: isHttp2(transport) ? '2' : '1.1',
          REQUESTS_CA_BUNDLE: origin().certificate,
          NODE_EXTRA_CA_CERTS: origin().certificate,
        },
      });
      const outcomes = toldOutcomes(output);
      console.log(`${name} over ${transport}: ${outcomes.size} tests`);
      expect(outcomes.size).toBeGreaterThan(10);
      const others = [...outcomes].filter(([, outcome]) => outcome !== 'passed');
      expect(others, output).toEqual([]);
    });
  });
}
