import type { Section } from './document.ts';

/**
 * The section with live events.
 *
 * @param kinds of events; undefined without `/tap`
 * @param isInspected whether `/connections/{id}` exists
 */
export function tapSection(kinds: readonly string[] | undefined, isInspected: boolean): Section {
  return {
    id: 'tap',
    title: 'Live tap',
    html:
      kinds === undefined
        ? howToTurnOn('connections and requests as they happen', '--tap')
        : `<p class="lead">What happens to all connections, also those that never become a request.</p>
<div id="events" data-kinds="${kinds.join(' ')}"${isInspected ? ' data-inspect' : ''}></div>
<p class="hint">Also as a stream: <a href="tap?duration=60">/tap</a>, for a minute.</p>`,
  };
}

/** The section with charts of the last hour. @param isOn whether `/metrics/history` exists */
export function hourSection(isOn: boolean): Section {
  return {
    id: 'hour',
    title: 'The last hour',
    html: isOn
      ? `<p class="lead">What all clients did, minute by minute; this page included. Numbers are of the current minute so far.</p>
<div id="charts"></div>
<p class="hint">Its data: <a href="metrics/history">/metrics/history</a>. For longer: <a href="metrics">/metrics</a>, for Prometheus.</p>`
      : howToTurnOn('charts of the last hour', '--metrics-enabled'),
  };
}

export const reportsSection: Section = {
  id: 'reports',
  title: 'Reports',
  html: `<p class="lead">Choose a JSON report of <code>wirebin check</code> or <code>wirebin bench</code>, written with <code>--report json=FILE</code>, or drop it anywhere on the page. It is not sent anywhere.</p>
<div id="report"></div>
<noscript><p>This needs scripts; <code>wirebin check show FILE</code> does not.</p></noscript>`,
};

/** Text of a section that is off: how to turn it on. */
function howToTurnOn(what: string, flag: string): string {
  return `<p class="lead">To see ${what}, start wirebin with <code>${flag}</code>.</p>`;
}
