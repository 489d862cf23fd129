import type { FieldLine } from '../message.ts';
import type { Evidence, Result } from '../result.ts';
import { jsonText } from './json-text.ts';
import type { Report } from './report.ts';

/** The requests of the findings as HTTP Archive 1.2. */
export function harReport(report: Report): string {
  const entries = report.findings.flatMap((finding) =>
    finding.evidence.map((evidence) => harEntry(report, finding, evidence)),
  );
  const log = {
    version: '1.2',
    creator: { name: 'wirebin check', version: report.version },
    pages: [],
    entries,
    ...(report.stopped !== undefined && { comment: report.stopped }),
  };
  return jsonText({ log });
}

function harEntry({ target, startedAt }: Report, finding: Result, evidence: Evidence) {
  const { method, path, fields } = sentRequest(evidence.sent, finding.front === 'h2');
  const httpVersion = finding.front === 'h2' ? 'HTTP/2.0' : 'HTTP/1.1';
  const { status = 0, fields: responseFields, received } = evidence;
  return {
    startedDateTime: startedAt,
    time: finding.duration,
    request: {
      method,
      url: urlOf(target, path),
      httpVersion,
      cookies: [],
      headers: harHeaders(fields),
      queryString: [],
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status,
      statusText: '',
      httpVersion,
      cookies: [],
      headers: harHeaders(responseFields),
      content: { size: received.length, mimeType: 'application/octet-stream', text: received },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: finding.duration, receive: 0 },
    comment: `${finding.id}: ${finding.rule} Expected: ${finding.expected ?? ''}. Found: ${finding.found ?? ''}.`,
  };
}

/** The URL of a request; without its path if that is not valid. */
function urlOf(target: string, path: string): string {
  const url = `${target}${path}`;
  return path.startsWith('/') && URL.canParse(url) ? new URL(url).href : new URL(target).href;
}

function harHeaders(fields: readonly FieldLine[]) {
  return fields.map(([name, value]) => ({ name, value }));
}

/** Parses the request from the sent text. */
function sentRequest(sent: string, isHttp2: boolean) {
  const lines = sent.split(/\r?\n/);
  const fields: FieldLine[] = [];
  for (const line of lines.slice(isHttp2 ? 0 : 1)) {
    if (line === '' && !isHttp2) break;
    const [, name, value = ''] =
      (isHttp2 ? /^ {2}(:?[^:]+): (.*)$/ : /^([^:]+):[ \t]*(.*)/).exec(line) ?? [];
    if (name !== undefined) fields.push([name, value]);
  }
  const pseudo = (name: string): string => fields.find(([each]) => each === name)?.[1] ?? '';
  const [method = '', path = ''] = isHttp2
    ? [pseudo(':method'), pseudo(':path')]
    : (lines[0] ?? '').split(' ');
  return { method, path, fields: fields.filter(([name]) => !name.startsWith(':')) };
}
