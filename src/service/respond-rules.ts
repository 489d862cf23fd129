import { readFile } from 'node:fs/promises';
import { AnyPath, type RuleText } from '../endpoints/respond/any-path.ts';
import { Problem } from '../http/problem.ts';
import { errorText } from '../net/error-text.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Reads the rules of --respond, also from files, which have one in each line, or a comment after `#`.
 *
 * @throws SettingsError if a file cannot be read, or a rule is wrong
 */
export async function loadRules(settings: Settings): Promise<readonly RuleText[]> {
  const lists = settings.respond.map(async (given) =>
    given.startsWith('@')
      ? fileRules(given.slice(1))
      : [{ text: given, place: `respond '${given}'` }],
  );
  const rules = (await Promise.all(lists)).flat();
  try {
    new AnyPath(settings, []).setRules(rules);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new SettingsError(error.message, 'respond');
  }
  return rules;
}

async function fileRules(path: string): Promise<RuleText[]> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    throw new SettingsError(`respond: cannot read ${path}: ${errorText(error)}`, 'respond');
  }
  return content.split(/\r?\n/).flatMap((line, at) => {
    const text = line.trim();
    return text === '' || text.startsWith('#') ? [] : [{ text, place: `${path}:${at + 1}` }];
  });
}
