import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { terminalSvg } from '../../scripts/terminal-svg.ts';
import { runCheck } from '../../src/check/command.ts';
import { streams } from '../_streams.ts';
import { behindRecipe } from './_behind-recipe.ts';
import { receive } from './_client.ts';
import { FOLDER, sectionOf, startEdited } from './_section.ts';

const UPSTREAM = /^ {2}upstream wirebin \{.*?^ {2}\}$/ms;

/** The finding of the picture, without the response. */
const FINDING = /^\S*fail\S* {2}\S*host\/absolute-form.* \([^]*?(?=\n {2}received)/m;

behindRecipe('nginx', ({ port }) => {
  // A finding, the words and colors of the report. It is the same with other versions of nginx that have the finding.
  test('docs/pictures/finding.svg is what `npm run pictures` writes', async () => {
    let text = '';
    const args = ['--insecure', '--only', 'host/absolute-form', '--known', 'none'];
    const origin = ['--origin', `http://localhost:${port(8080)}`];
    await runCheck(
      [`https://localhost:${port(8443)}`, ...args, ...origin],
      streams({ out: (more) => void (text += more), isTerminal: true }),
    );
    const finding = (FINDING.exec(text)?.[0] ?? text)
      .replaceAll(String(port(8443)), '8443')
      .replaceAll(/check-[0-9a-f]+/g, 'check-664270f6a18e');
    const picture = terminalSvg(`$ wirebin check https://localhost:8443\n\n${finding}`);
    const outdated = 'the picture is outdated: run `npm run pictures`';
    const file = `${FOLDER}../pictures/finding.svg`;
    await expect(picture, outdated).toMatchFileSnapshot(file);
  });

  test('with the lines of the page, a failed request is sent to the second server', async () => {
    const [upstream = ''] = UPSTREAM.exec(readFileSync(`${FOLDER}nginx/nginx.conf`, 'utf8')) ?? [];
    const { lines } = sectionOf('nginx', 'Retries');
    const { port: changed, proxy } = await startEdited('nginx', [upstream, lines], port(8080));
    onTestFinished(() => proxy.close());
    const front = changed(8443);
    expect((await receive(front, '/retry/nginx')).status).toBe(200);
    expect((await receive(front, '/retry/nginx-twice?fail=2')).status).toBe(503);
    expect((await receive(front, '/retry/nginx-content', { content: Buffer.of(1) })).status).toBe(
      503,
    );
    const { pieces } = await receive(front, '/journal/nginx');
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ attempts: 2, count: 2 });
  });
});
