import { afterAll, expect } from 'vitest';

// Whatever goes wrong beside a test fails the run: a warning (a leaked listener, a deprecated call)
// is a defect that nobody has asked about yet.
const strays: string[] = [];
process.on('warning', (warning) => strays.push(`${warning.name}: ${warning.message}`));

afterAll(() => {
  expect(strays.splice(0)).toEqual([]);
});
