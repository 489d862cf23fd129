import { curlCommand } from '../pages/curl.ts';
import { copyButton } from './copy.ts';

/** Adds to `Your connection` what needs scripts: copy buttons, and the curl line for the URL that the browser used. */
export function enableConnection(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) {
    const code = place.querySelector('code');
    const copy = copyButton(place.dataset['copy'] ?? '', () => code?.textContent ?? '');
    (place.querySelector('pre') ?? code)?.after(copy);
  }
  // A proxy may serve the page with another scheme and version, and below a path, which the service cannot know.
  const line = document.querySelector('#connection .curl code');
  const [navigation] = performance.getEntriesByType('navigation');
  if (line && navigation instanceof PerformanceNavigationTiming) {
    const url = new URL('anything', location.href).href;
    line.textContent = curlCommand(url, navigation.nextHopProtocol === 'h2');
  }
}
