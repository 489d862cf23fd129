import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { showText, storedReport } from '../../src/check/report/stored.ts';
import { Installation } from '../_process.ts';
import { knownProxies } from './_proxies.ts';
import { compare, record, recorded, verdictsOf } from './_records.ts';
import { check, find } from './_run.ts';
import { undisturbed } from './_undisturbed.ts';

const writes = process.env['WIREBIN_WRITE_DOCS'] === '1';

describe('verdicts of known proxies', () => {
  let installation: Installation;
  const compared: string[] = [];
  const left: string[] = [];
  beforeAll(() => {
    installation = new Installation('bundled');
  });
  afterAll(() => {
    installation.remove();
    console.log(`compared ${compared.length} proxies: ${compared.join(', ')}`);
    if (left.length > 0) {
      console.log(
        `NOT TESTED: versions that are recorded and not installed, of ${left.join(', ')}`,
      );
    }
  });

  test.concurrent.each(knownProxies)('$name', async (proxy) => {
    const found = find(proxy);
    if (!found) {
      left.push(proxy.title);
      return;
    }
    const title = `${proxy.title} ${found.version}`;
    if (writes) {
      const report = await undisturbed((only) =>
        check(proxy, found, installation, only && { only }),
      );
      await record(proxy, found.version, report);
      return;
    }
    const old = recorded(proxy);
    if (old?.version !== found.version) {
      console.log(`NOT TESTED: ${title} is installed, the record is of ${old?.version}`);
      return;
    }
    const report = await check(proxy, found, installation);
    const { turned, unmatched } = compare(old.outcomes, verdictsOf(report));
    for (const line of turned) console.log(`${title}: ${evidenceOf(report, line)}`);
    if (unmatched.length > 0) {
      console.log(`${title}: not in both catalogues: ${unmatched.join(', ')}`);
    }
    compared.push(title);
    if (turned.length === 0) return;
    // A busy machine can turn a verdict; it does not do so twice. Two runs fit into the limit of a test.
    const again = compare(old.outcomes, verdictsOf(await check(proxy, found, installation)));
    const runs = [turned, again.turned].map((lines) => lines.join(', ') || 'none');
    console.log(`${title}: turned at first: ${runs.join('; then: ')}`);
    const stayed = turned.filter((line) => again.turned.includes(line));
    expect(stayed, `verdicts on ${title} have turned`).toEqual([]);
  });
});

/** What a report says of a check that has turned. @param turned a line of the comparison */
function evidenceOf(report: string, turned: string): string {
  const [, id = ''] = /^\S+ (\S+):/.exec(turned) ?? [];
  return showText(storedReport(report, 'report.json'), id);
}
