import type { Command, Page } from './_blocks.ts';
import type { Outcome, Place, Served } from './_place.ts';
import { CLAIMS, SETTINGS } from './_tables.ts';

/** A service, and what it is started with. */
const SERVES = /^(?:[A-Z_]+=\S+ )*wirebin(?! (?:bench|check|completion|health|--help)\b)/;

/** A service that has stopped is of no use to the commands after it. */
const STOPS = /\/control\/(?:drain|exit)\b/;

/** Of a comment: what is said of another service than the one above. */
const ELSEWHERE = /\b(?:where|with|without) --/;

/** Ends only when the client does. */
const ENDLESS = /^curl .*-N\b.*\/tap\b/;

/** How often a command is run until all statuses of its comment have come: one may be that of a share of 5 %. */
const triesOf = (comment: string): number => (/%|\bone\b.* in /.test(comment) ? 200 : 20);

/** What a transfer that is disturbed on purpose ends with: see EXIT CODES in curl's manual. */
const DISTURBED = /^[^#]*(?:\/fault\/|\?with=|&fault=)/;
const BROKEN = [1, 8, 16, 18, 52, 55, 56, 92];

/** The statuses that a text names. */
function statusesIn(text: string): string[] {
  return text.match(/\b[1-5]\d\d\b(?!\.| ?(?:bytes|m?s\b|%))/g) ?? [];
}

/** What a comment has in backquotes is to be seen, as far as it does not say `without`. */
function wrongCodeIn({ comment }: Command, output: string): string | undefined {
  const wrong = Array.from(comment.matchAll(/(without )?`(?:[\w-]+\.)?([^`]+)`/g)).find(
    ([, without, code = '']) => output.includes(code) === (without !== undefined),
  );
  return wrong?.[0];
}

function exitCodesOf({ text, written }: Command): readonly number[] {
  if (ENDLESS.test(text)) return [28];
  // 141: what writes into a pipe has ended early.
  return DISTURBED.test(written) ? BROKEN : [0, 141];
}

/**
 * Runs a command: it has to end with 0, unless a claim says otherwise, with the statuses and the code that its comment
 * names, and without other statuses of 400 or more that the line does not name.
 *
 * @returns what is wrong with it
 */
async function faultOf(
  command: Command,
  run: (text: string) => Promise<Outcome>,
): Promise<string | undefined> {
  const { text, comment, written } = command;
  const [, shows, ...exit] = CLAIMS.find(([line]) => line.test(written)) ?? [];
  const codes = exit.length > 0 ? exit : exitCodesOf(command);
  const expected = shows ? [] : statusesIn(comment);
  const seen = new Set<string>();
  for (let tries = 0; tries < triesOf(comment); tries++) {
    const { code, output } = await run(ENDLESS.test(text) ? `${text} --max-time 1` : text);
    if (!codes.includes(code)) return `exit code ${code}: ${output}`;
    if (shows && !shows.test(output)) return `it does not show ${String(shows)}: ${output}`;
    const wrong = shows ? undefined : wrongCodeIn(command, output);
    if (wrong !== undefined) return `not ${wrong}: ${output}`;
    for (const [status] of output.matchAll(/(?<=^status )\d+$/gm)) seen.add(status);
    if (shows || expected.every((status) => seen.has(status))) break;
  }
  const missing = expected.filter((status) => !seen.has(status));
  if (missing.length > 0) return `no status ${missing.join()}, but ${[...seen].join()}`;
  const strange = [...seen].filter((status) => status >= '400' && !written.includes(status));
  return shows === undefined && strange.length > 0 ? `status ${strange.join()}` : undefined;
}

/** The commands of a page, block by block; where none of a block starts a service, one of the page's own serves them. */
export class PageRun {
  readonly #page: Page;
  readonly #place: Place;
  readonly #faults: string[] = [];
  #own: Promise<Served> | undefined;

  constructor(page: Page, place: Place) {
    this.#page = page;
    this.#place = place.of(page.path.replaceAll('/', '-'));
  }

  /** @returns what is wrong, with the line of the block and the command */
  async faults(blocks: readonly (readonly Command[])[]): Promise<readonly string[]> {
    try {
      for (const commands of blocks) await this.#run(commands);
      await (await this.#own)?.stop();
    } finally {
      this.#place.end();
    }
    return this.#faults;
  }

  async #run(commands: readonly Command[]): Promise<void> {
    let above: Served | undefined;
    const ends: (() => Promise<void>)[] = [];
    for (const command of commands) {
      if (SERVES.test(command.text)) {
        await this.#telling(command, async () => {
          const served = await this.#place.serve(command.text);
          above = served;
          ends.push(() => this.#telling(command, () => served.stop()));
        });
      } else await this.#telling(command, () => this.#judge(command, above));
    }
    for (const end of ends) await end();
  }

  async #judge(command: Command, above: Served | undefined): Promise<void> {
    const isElsewhere = above === undefined || ELSEWHERE.test(command.comment);
    const served = STOPS.test(command.text)
      ? this.#place.serve('wirebin')
      : isElsewhere
        ? (this.#own ??= this.#serveAll())
        : above;
    const { port } = await served;
    const fault = await faultOf(command, (text) => this.#place.run(text, port));
    if (fault !== undefined) throw new Error(fault);
  }

  /** With each of SETTINGS that the page names: it has to say what its commands need. */
  #serveAll(): Promise<Served> {
    const named = SETTINGS.filter((setting) => this.#page.text.includes(setting));
    return this.#place.serve(['wirebin', ...named].join(' '));
  }

  async #telling({ line, written }: Command, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#faults.push(`line ${line}: ${written}: ${String(error)}`);
    }
  }
}
