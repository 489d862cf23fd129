// What the scripts of clients have in common: checks by name, and a line of JSON for each.

export const origin = process.env.FOREIGN_URL;

/** @param checks functions that throw where something is wrong */
export async function tellOf(checks) {
  for (const [name, check] of Object.entries(checks)) {
    const told = { name, outcome: 'passed' };
    try {
      await check();
    } catch (error) {
      told.outcome = 'failed';
      told.reason = String(error.stack).slice(0, 500);
    }
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
  process.exit();
}
