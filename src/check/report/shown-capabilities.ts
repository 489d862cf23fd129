import { answerOf, type SeenRun } from '../capability.ts';
import { QUESTIONS } from '../capabilities.ts';
import { recordedWords, type Known } from '../known.ts';
import type { ShownCapability } from './capability-lines.ts';

/** What a report says of each capability, beside what the recorded report of the product has. */
export function capabilitiesIn(
  report: SeenRun & { readonly known: Known | undefined },
): ShownCapability[] {
  return QUESTIONS.map((question) => {
    const { id, name, isRisk } = question;
    const { answer, words } = answerOf(question, report);
    const isBad = answer === 'partly' || answer === (isRisk === true ? 'yes' : 'no');
    return {
      id,
      name,
      answer,
      words,
      recorded: recordedWords({ id, answer, isBad }, report.known),
    };
  });
}
