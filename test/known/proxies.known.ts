import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Installation } from '../_process.ts';
import { knownProxies } from './_proxies.ts';
import { compare, record, recorded, recordedVersions, verdictsOf } from './_records.ts';
import { check, find } from './_run.ts';

/** Lines of the lists that the first one does not have. */
function notIn(known: readonly string[], ...lists: readonly (readonly string[])[]): string {
  return (
    lists
      .flat()
      .filter((line) => !known.includes(line))
      .join(', ') || 'none'
  );
}

/** Runs in each of which a verdict has to be another one. Both fit into the limit of a test, beside the other proxies. */
const RUNS = 2;

const writes = process.env['WIREBIN_WRITE_DOCS'] === '1';

describe('verdicts of known proxies', () => {
  let installation: Installation;
  const compared: string[] = [];
  beforeAll(() => {
    installation = new Installation('bundled');
  });
  afterAll(() => {
    installation.remove();
    console.log(`compared ${compared.length} proxies: ${compared.join(', ')}`);
  });

  test.concurrent.each(knownProxies)('$name', async (proxy) => {
    const found = find(proxy);
    if (!found) {
      console.log(`not run: ${proxy.title} is not installed`);
      return;
    }
    const title = `${proxy.title} ${found.version}`;
    const version = recordedVersions()[proxy.name];
    if (!writes && found.version !== version) {
      console.log(`not compared: ${title} is installed, the record is of ${version}`);
      return;
    }
    const report = await check(proxy, found, installation);
    if (writes) {
      record(proxy, found.version, report);
      return;
    }
    const { turned, unmatched } = compare(recorded(proxy), verdictsOf(report));
    if (unmatched.length > 0) {
      console.log(`${title}: not in both catalogues: ${unmatched.join(', ')}`);
    }
    compared.push(title);
    // A busy machine can turn a verdict; it does not do so in each run.
    let stayed = turned;
    for (let run = 1; run < RUNS && stayed.length > 0; run++) {
      const again = compare(recorded(proxy), verdictsOf(await check(proxy, found, installation)));
      stayed = stayed.filter((line) => again.turned.includes(line));
      console.log(`${title}: turned in some runs only: ${notIn(stayed, turned, again.turned)}`);
    }
    expect(stayed, `verdicts on ${title} have turned`).toEqual([]);
  });
});
