import { expect, test } from 'vitest';
import { hourSection, tapSection } from '../../../src/pages/home/live-sections.ts';

test('a part that is off says how to turn it on', () => {
  expect(tapSection(undefined, false).html).toContain('start wirebin with <code>--tap</code>');
  expect(hourSection(false).html).toContain('start wirebin with <code>--metrics-enabled</code>');
  expect(hourSection(true).html).toContain('id="charts"');
  expect(tapSection(['opened', 'closed'], false).html).toContain('data-kinds="opened closed"');
});
