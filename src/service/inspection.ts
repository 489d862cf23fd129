import type { Inspection } from '../inspect/inspection.ts';
import { NATIVE_LIMIT_FACTOR } from '../protocols/http2-shared/list-limits.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Stories } from '../telemetry/story/stories.ts';
import { VERSION } from '../version.ts';
import { MB } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import { errorText } from '../net/error-text.ts';

/** The inspection of all connections, and its events for /connections/{id}. */
export interface Inspecting {
  readonly inspection: Inspection;
  readonly stories: Stories;
}

/**
 * Creates the inspection; undefined without --inspect, in which case the code is not loaded.
 *
 * @throws if the capture file cannot be created; the message is for the user
 */
export async function openInspection(
  settings: Settings,
  log: Logger,
): Promise<Inspecting | undefined> {
  if (!settings.inspect) return undefined;
  const [inspect, telemetry] = await Promise.all([
    import('../inspect/inspection.ts'),
    import('../telemetry/story/stories.ts'),
  ]);
  const inspection = new inspect.Inspection({
    memory: settings.inspectMemory * MB,
    connectionMemory: settings.inspectConnectionMemory,
    limits: {
      headerSize: NATIVE_LIMIT_FACTOR * Math.max(settings.maxHeaderSize, settings.maxTargetSize),
      fields: NATIVE_LIMIT_FACTOR * settings.maxFields,
    },
    onNotInspected: memoryWarning(log),
    onError: (error) => log.error({ err: error }, 'an error ended the inspection of a connection'),
    capture: await openCapture(settings, log),
  });
  return { inspection, stories: new telemetry.Stories(inspection, settings.tapSecrets) };
}

/** Logs the first connection that is not inspected, and then the number of them, at most once a minute. */
function memoryWarning(log: Logger): (connections: number) => void {
  let next = 0;
  return (connections) => {
    if (performance.now() < next) return;
    next = performance.now() + 60_000;
    const text = 'connections are not inspected: open ones have used up --inspect-memory';
    log.warn({ connections }, text);
  };
}

async function openCapture(settings: Settings, log: Logger) {
  const { inspectFile: directory, inspectFileSize, inspectFileCount } = settings;
  if (directory === undefined) return undefined;
  const { Capture } = await import('../inspect/capture.ts');
  const capture = Capture.create({
    directory,
    application: `wirebin ${VERSION}`,
    maxSize: inspectFileSize * MB,
    maxFiles: inspectFileCount,
    onNextFile: (file, deleted) => log.info({ file, deleted }, 'the capture continues'),
    onFailure: (error) => log.error({ detail: error.message }, 'cannot write the capture'),
  });
  return capture.catch((error: unknown) => {
    const reason = errorText(error);
    throw new Error(`the capture cannot be created: ${reason}`);
  });
}
