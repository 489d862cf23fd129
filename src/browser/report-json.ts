import type { Element } from '../pages/element.ts';

/** What the page shows of a report. Its texts come from the file, and may be anything. */
export interface Report {
  /** Summary of the result, shown after the file name. */
  readonly summary: string;
  readonly isBad: boolean;
  readonly elements: readonly Element[];
}

/** Maximum characters shown of one text. */
const MAX_TEXT = 65_536;

/**
 * Reads members of a JSON object. A missing or null member reads as empty. Throws an Error that names the member if it
 * has another type, or more elements than can be shown.
 */
export class Members {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: string;

  /** @param path of the object in the file, ending with a dot; empty for the file itself */
  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || !value || Array.isArray(value)) {
      throw new Error(`${path.slice(0, -1)} is not an object`);
    }
    this.#value = { ...value };
    this.#path = path;
  }

  /** @param most characters up to which a text is kept */
  text(name: string, most = MAX_TEXT): string {
    return textOf(this.#value[name] ?? '', this.#path + name, most);
  }

  isTrue(name: string): boolean {
    return this.#value[name] === true;
  }

  object(name: string): Members {
    return new Members(this.#value[name] ?? {}, `${this.#path}${name}.`);
  }

  objects(name: string, most: number): Members[] {
    return this.#list(name, most).map(
      (each, at) => new Members(each, `${this.#path}${name}[${at}].`),
    );
  }

  texts(name: string, most: number): string[] {
    return this.#list(name, most).map((each, at) =>
      textOf(each, `${this.#path}${name}[${at}]`, MAX_TEXT),
    );
  }

  #list(name: string, most: number): readonly unknown[] {
    const value = this.#value[name] ?? [];
    if (!Array.isArray(value)) throw new Error(`${this.#path}${name} is not a list`);
    return bounded<unknown>(value, this.#path + name, most);
  }
}

function textOf(value: unknown, path: string, most: number): string {
  if (typeof value !== 'string') throw new Error(`${path} is not a text`);
  return shortened(value, most);
}

function bounded<Item>(list: readonly Item[], path: string, most: number) {
  if (list.length <= most) return list;
  throw new Error(`${path} has ${list.length} elements, and this page shows at most ${most}`);
}

/** The first characters, with an ellipsis if the text is longer. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
