/** How many inputs, for the parsers and for the service each. */
export const INPUTS = numberOf('WIREBIN_FUZZ_INPUTS');
/** For how long frames are sent to the service. */
export const MINUTES = numberOf('WIREBIN_FUZZ_MINUTES');
/** Of everything that is random here: the same seed makes the same inputs. */
export const SEED = numberOf('WIREBIN_FUZZ_SEED');
/** Whether the service runs under valgrind. */
export const VALGRIND = process.env['WIREBIN_FUZZ_VALGRIND'] !== undefined;

function numberOf(variable: string): number {
  const number = Number(process.env[variable]);
  if (Number.isFinite(number)) return number;
  throw new Error(`${variable} is no number: start it by npm run fuzz`);
}
