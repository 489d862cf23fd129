import { accessSync, constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** @param flags further arguments of Chromium */
export async function launch(...flags: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: programOf(process.env['PATH'] ?? ''),
    // Which it needs as root, in containers.
    args: ['--no-sandbox', ...flags],
  });
}

function programOf(path: string): string {
  const candidates = path.split(delimiter).flatMap((folder) => NAMES.map((it) => join(folder, it)));
  const found = candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) {
    throw new Error(
      `npm run test:page needs Chromium, and none of ${NAMES.join(', ')} is in PATH; on Debian: apt-get install chromium`,
    );
  }
  return found;
}

/** What a page complained of: errors, what its policy blocked, and requests to elsewhere. */
export function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) complaints.push(url);
  });
  return complaints;
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, as lines. */
export async function findings(page: Page): Promise<string[]> {
  // Not by an element: the policy of the page would block it.
  await page.evaluate(await axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary ?? ''}`),
  );
}
