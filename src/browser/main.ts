import { enableConnection } from './connection.ts';
import { onPart, showParts } from './parts.ts';
import { enableSearch } from './search.ts';
import { enableForms } from './try.ts';

enableConnection();
enableSearch();
enableForms();
onFirst('tap', '#events', async (root, rest) => {
  const { LiveTap } = await import('./tap.ts');
  void new LiveTap(root, 'tap', rest);
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
function onFirst(
  id: string,
  selector: string,
  start: (root: HTMLElement, rest: string) => Promise<void>,
): void {
  let root = document.querySelector<HTMLElement>(selector);
  onPart(id, (rest) => {
    if (root) void start(root, rest);
    root = null;
  });
}
