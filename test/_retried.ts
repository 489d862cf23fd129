import type { Reporter, TestModule } from 'vitest/node';

/** Counts the tests that passed only when they were run again: the project `timing` repeats what has failed once. */
export default class Retried implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
        .map((test) => `  ${module.relativeModuleId}: ${test.fullName}`),
    );
    if (names.length > 0)
      console.log([`${names.length} passed at the second try`, ...names].join('\n'));
  }
}
