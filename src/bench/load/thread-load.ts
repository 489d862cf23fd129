import { readThreadTime } from '../../telemetry/thread-time.ts';

/** What this thread did while it sent load, as shares of the time. */
export interface ThreadLoad {
  /** In which its event loop was busy, or waited for a core in the midst of that. */
  readonly busy: number;
  /** In which it was kept from running. */
  readonly waited: number;
}

/** Watches this thread from now on. @returns gives what it did until then */
export function watchThread(): () => ThreadLoad {
  const [start, loop, thread] = [
    performance.now(),
    performance.eventLoopUtilization(),
    readThreadTime(),
  ];
  return () => {
    const seconds = (performance.now() - start) / 1000;
    const { active, utilization } = performance.eventLoopUtilization(loop);
    const { ran, waited = 0 } = readThreadTime();
    // A hypervisor that takes the core away leaves no wait, and no CPU time either.
    const stolen = active / 1000 - (ran - thread.ran);
    const kept = Math.max(waited - (thread.waited ?? 0), stolen, 0);
    return { busy: utilization, waited: kept / seconds };
  };
}
