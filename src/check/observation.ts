/**
 * What must have been seen before a check may pass, so that none passes because nothing happened. The session notes
 * each observation.
 */
export const OBSERVATIONS = {
  echo: 'the origin has echoed a request of the check',
  arrival: 'the origin has received a request of the check, by its response or its journal',
  refusal:
    'a malformed request was refused or made safe, and a well-formed one has reached the origin',
  target: 'the target itself has answered, and an ordinary request reaches the origin',
} as const;
export type Observation = keyof typeof OBSERVATIONS;
