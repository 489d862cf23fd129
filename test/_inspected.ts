/** Whether every service is to inspect its connections: `npm run test:inspect` runs the same tests so. */
export const INSPECTED = process.env['WIREBIN_TEST_INSPECT'] !== undefined;
