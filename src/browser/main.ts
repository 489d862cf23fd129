import { enableConnection } from './connection.ts';
import { onPart, showParts } from './parts.ts';
import { enableSearch } from './search.ts';
import { enableForms } from './try.ts';

enableConnection();
enableSearch();
enableForms();
onFirst('tap', '#events', async (root) => {
  const { LiveTap } = await import('./tap.ts');
  void new LiveTap(root, root.dataset['kinds']?.split(' ') ?? []).read('tap');
});
onFirst('hour', '#charts', async (root) => {
  const { LastHour } = await import('./hour.ts');
  await new LastHour(root).start('metrics/history');
});
onFirst('reports', '#report', async (root) => {
  const { enableReports } = await import('./report.ts');
  enableReports(root);
});
addEventListener('dragenter', ({ dataTransfer }) => {
  if (dataTransfer?.types.includes('Files')) location.hash = '#reports';
});
// Call last, because it shows the current part to the listeners set above.
showParts();

/** Starts a part when it is first shown, unless it is off. */
function onFirst(id: string, selector: string, start: (root: HTMLElement) => Promise<void>): void {
  let root = document.querySelector<HTMLElement>(selector);
  onPart(id, () => {
    if (root) void start(root);
    root = null;
  });
}
