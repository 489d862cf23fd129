import { parseArgs } from 'node:util';

const HELP = `--filter A,B    only scenarios whose name contains A or B
--seconds N     of each load
--rounds N      loads of each server
--short         bench:gate: only the rows for every change
--slow N        bench:gate: hold wirebin up for N microseconds a request, to see red
--floor N       bench:gate: this floor instead of the table's
--against REV   bench:gate: beside that commit of wirebin instead of bare Node, floor 0.98
--write         bench:peers, bench:generators: write the table of docs/measured/benchmarking.md, and results/peers.md
`;

const flags = {
  filter: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  short: { type: 'boolean', default: false },
  slow: { type: 'string' },
  floor: { type: 'string' },
  against: { type: 'string' },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const;

/** Reads the command line; asked for help, or with a wrong flag, it ends the process. */
export function readOptions(defaults: { readonly seconds: number; readonly rounds: number }) {
  try {
    const { values } = parseArgs({ options: flags });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    return {
      filter: values.filter,
      seconds: positive('seconds', values.seconds) ?? defaults.seconds,
      rounds: positive('rounds', values.rounds) ?? defaults.rounds,
      isShort: values.short,
      slow: positive('slow', values.slow) ?? 0,
      floor: positive('floor', values.floor),
      against: values.against,
      isWriting: values.write,
    };
  } catch (error) {
    process.stderr.write(`${String(error)}\n${HELP}`);
    process.exit(2);
  }
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new RangeError(`--${name} ${text} is no number above 0`);
  return number;
}
