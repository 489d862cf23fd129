/** How many inputs, for the parsers and for the service each. */
export const INPUTS = numberOf('WIREBIN_FUZZ_INPUTS');
/** Of everything that is random here: the same seed makes the same inputs. */
export const SEED = numberOf('WIREBIN_FUZZ_SEED');

function numberOf(variable: string): number {
  const number = Number(process.env[variable]);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`${variable} is no number: start it by npm run fuzz`);
}
