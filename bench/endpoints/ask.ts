import { request } from 'node:http';
import { nameOf, type Scenario } from './scenarios.ts';

interface Found {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly length: number;
}

function ask(port: number, scenario: Scenario): Promise<Found> {
  const { path, method = 'GET', headers = {}, upload } = scenario;
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers, agent: false };
    const outgoing = request(options, (incoming) => {
      let length = 0;
      incoming.on('data', (piece: Buffer) => (length += piece.length));
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode, type: incoming.headers['content-type'], length });
      });
    });
    outgoing.on('error', reject).end(upload === undefined ? undefined : 'x'.repeat(upload));
  });
}

/** By how much the lengths of the two contents may differ: times and addresses are in some. */
const TOLERANCE = 0.1;

/** @throws where one of the two is not asked to do what the other does */
export async function compare(ours: number, baseline: number, scenario: Scenario): Promise<void> {
  const [one, other] = [await ask(ours, scenario), await ask(baseline, scenario)];
  const name = nameOf(scenario);
  for (const { status } of [one, other]) {
    if (status !== (scenario.status ?? 200)) throw new Error(`${name} is answered with ${status}`);
  }
  const most = Math.max(one.length, other.length);
  const isAlike = Math.abs(one.length - other.length) <= most * TOLERANCE;
  if (one.type === other.type && isAlike) return;
  throw new Error(`${name}: ${JSON.stringify(one)} is compared with ${JSON.stringify(other)}`);
}
