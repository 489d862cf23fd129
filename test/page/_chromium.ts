import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startService, type Running } from '../_service.ts';

/** The first takes less than half of the time of the others. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

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
      `npm run test:page needs Chromium, and none of ${NAMES.join(', ')} is in PATH; on Debian: apt-get install chromium-headless-shell`,
    );
  }
  return found;
}

/** Widths of windows in pixels, from a phone to a wide screen. */
const WIDTHS = [1280, 390, 768, 1920] as const;

/** How a page may be looked at. Every second one has each width and both colour schemes. */
export const looks: readonly (readonly [string, BrowserContextOptions])[] = WIDTHS.flatMap(
  (width, at) =>
    (at % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const)).map(
      (colorScheme) =>
        [`${width} ${colorScheme}`, { viewport: { width, height: 800 }, colorScheme }] as const,
    ),
);

type Use = (page: Page, complaints: string[]) => Promise<void>;

/** Opens a page, and closes it afterwards. */
export async function onPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  use: Use,
): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page, new URL(url).origin);
    await page.goto(url);
    await use(page, complaints);
  } finally {
    await context.close();
  }
}

/** A service and a browser for all tests of a file, over http/1.1. */
export interface Site {
  readonly service: () => Running;
  readonly origin: () => string;
  /** As `onPage`. @param fragment what follows the slash of the page's URL */
  readonly onPage: (fragment: string, options: BrowserContextOptions, use: Use) => Promise<void>;
}

/** @param args settings of the service */
export function browse(...args: string[]): Site {
  let running: Running;
  let browser: Browser;
  beforeAll(async () => {
    running = await startService(...args);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    running.service.close();
  });
  const origin = (): string => `http://localhost:${running.port}`;
  return {
    service: () => running,
    origin,
    onPage: (fragment, options, use) => onPage(browser, `${origin()}/${fragment}`, options, use),
  };
}

/** A browser for HTML reports, whose requests a server answers with their text. @param documents by path */
export function browseReports(documents: Readonly<Record<string, string>>): Pick<Site, 'onPage'> {
  const server = createServer(({ url = '' }, response) =>
    response.setHeader('Content-Type', 'text/html').end(documents[url]),
  );
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    browser = await launch();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });
  return {
    onPage: (fragment, options, use) => onPage(browser, `${origin}/${fragment}`, options, use),
  };
}

/** To look at, if WIREBIN_SCREENSHOTS names a directory. */
export async function screenshot(page: Page, name: string, fullPage = true): Promise<void> {
  const directory = process.env['WIREBIN_SCREENSHOTS'];
  if (directory === undefined) return;
  const file = `${name.replaceAll(/[^\w.]+/g, '-')}.png`;
  await page.screenshot({ path: join(directory, file), fullPage });
}

/** Chooses a file in the part for reports. */
export async function choose(page: Page, name: string, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page
    .locator('#report input[type=file]')
    .setInputFiles({ name, mimeType: 'application/json', buffer });
}

/** What a page complained of: errors, what its policy blocked, and requests to elsewhere. */
function complaintsOf(page: Page, origin: string): string[] {
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
  // Without the selectors of all that passes, which take more than half of the time.
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary ?? ''}`),
  );
}
