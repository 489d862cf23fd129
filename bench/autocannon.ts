import autocannon from 'autocannon';
import type { Loaded } from './measure.ts';
import type { Scenario } from './scenarios.ts';

/**
 * What autocannon keeps each response's content in, as text: decoding it takes nearly all of the
 * load's core (50 MB/s), and there is no option against it. Lengths are checked before the load.
 */
interface Keeping {
  readonly pipelinedRequests: { addBody(content: Buffer): void };
}

function dropContent(client: object): void {
  (client as Keeping).pipelinedRequests.addBody = () => undefined;
}

/** Loads `/bytes` or `/range` on HTTP/1.1. */
export function loadByAutocannon(
  url: string,
  scenario: Scenario,
  seconds: number,
): Promise<Loaded> {
  const { connections, fields = [] } = scenario;
  const errors: Record<string, number> = {};
  const count = (reason: string): number => (errors[reason] = (errors[reason] ?? 0) + 1);
  let requests = 0;
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const running = autocannon(
      {
        url,
        connections,
        duration: seconds,
        headers: Object.fromEntries(fields),
        setupClient: dropContent,
        // The run ends with the first sample after its time.
        sampleInt: 50,
      },
      (error: Error | null) => {
        const requestsPerSecond = (requests * 1000) / (performance.now() - began);
        if (error) reject(error);
        else resolve({ requests, requestsPerSecond, errors });
      },
    );
    running.on('response', (_, status) => {
      requests += 1;
      if (status !== (scenario.status ?? 200)) count(`status ${status}`);
    });
    running.on('reqError', ({ message }) => count(message));
  });
}
