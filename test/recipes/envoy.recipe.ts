import { expect, onTestFinished, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { expectThreeAttempts, run, sectionOf, startEdited } from './_section.ts';

behindRecipe('envoy', ({ port }) => {
  test('with the line of the page, a failed request is repeated', async () => {
    const { lines, commands } = sectionOf('envoy', 'Retries');
    const route = 'route: { cluster: wirebin, timeout: 300s }';
    const changed = await startEdited('envoy', [route, lines.trim()], port(8080));
    onTestFinished(() => changed.proxy.close());
    await expectThreeAttempts(commands, changed.port);
  });

  test('with the lines of the page, three failures take the host out', async () => {
    const { lines, commands } = sectionOf('envoy', 'Outlier detection');
    const [failing = '', next = ''] = commands;
    const assignment = 'load_assignment:';
    const indented = lines.replaceAll('\n', `\n${' '.repeat(6)}`);
    const changed = await startEdited('envoy', [assignment, indented + assignment], port(8080));
    onTestFinished(() => changed.proxy.close());
    expect(await run(failing, changed.port)).toEqual({ status: 0, output: 'nonono' });
    expect((await run(next, changed.port)).output).toBe('no healthy upstream');
  });
});
