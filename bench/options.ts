import { parseArgs } from 'node:util';

const flags = {
  filter: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  json: { type: 'string' },
  short: { type: 'boolean' },
  slow: { type: 'string' },
  floor: { type: 'string' },
  against: { type: 'string' },
  out: { type: 'string' },
  write: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const HELP = `--filter A,B    only scenarios whose name contains A or B
--seconds N     of each run
--rounds N      runs of each server
--json FILE     write the results there too
--short         bench:gate: only the rows for every change
--slow N        bench:gate: hold wirebin up for N microseconds a request, to see red
--floor N       bench:gate: this floor instead of the table's
--against REV   bench:gate: beside that commit of wirebin instead of bare Node, floor 0.98
--out FILE      bench:peers: the table's file
--write         bench:peers: write the table of docs/benchmarking.md too
`;

export interface Options {
  readonly filter: string | undefined;
  readonly seconds: number;
  readonly rounds: number;
  readonly json: string | undefined;
  readonly isShort: boolean;
  readonly slow: number;
  readonly floor: number | undefined;
  /** A commit. */
  readonly against: string | undefined;
  readonly out: string | undefined;
  readonly isWriting: boolean;
}

/** Reads the command line; asked for help, or with a wrong flag, it ends the process. */
export function readOptions(defaults: { seconds: number; rounds: number }): Options {
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
      json: values.json,
      isShort: values.short ?? false,
      slow: positive('slow', values.slow) ?? 0,
      floor: positive('floor', values.floor),
      against: values.against,
      out: values.out,
      isWriting: values.write ?? false,
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
