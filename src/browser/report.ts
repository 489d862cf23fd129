import { create, created } from './dom.ts';
import { onPart } from './parts.ts';
import { readReport } from './report-read.ts';
import { enableFilter } from './result-filter.ts';

/** Maximum size of a file in MiB, far more than a report has. */
const MAX_SIZE = 32;

/** Shows report files that the user chooses or drops. They are read in the browser, and never sent. */
export function enableReports(root: HTMLElement): void {
  const input = create('input', { type: 'file', accept: '.json', class: 'unseen' });
  const line = create('p', { class: 'line', role: 'status' });
  const shown = create('div');
  let openLinked: (() => void) | undefined;
  const show = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      if (file.size > MAX_SIZE * 2 ** 20) throw new Error(`it has more than ${MAX_SIZE} MiB`);
      const { summary, isBad, elements } = readReport(await file.text());
      line.textContent = `${file.name}: ${summary}`;
      line.className = `line ${isBad ? 'bad' : 'good'}`;
      shown.replaceChildren(...elements.map((each) => created(each)));
      const bar = shown.querySelector<HTMLElement>('.filter');
      openLinked = bar ? enableFilter(bar) : undefined;
      openLinked?.();
    } catch (error) {
      line.textContent = `${file.name} cannot be shown: ${error instanceof Error ? error.message : ''}`;
      line.className = 'line bad';
      shown.replaceChildren();
    }
  };
  onPart('reports', () => openLinked?.());
  input.addEventListener('change', () => void show(input.files?.[0]));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    void show(event.dataTransfer?.files[0]);
  });
  root.append(create('label', { class: 'button' }, 'Choose a report …', input), line, shown);
}
