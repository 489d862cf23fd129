export const PROFILE_NAMES = ['gateway', 'cdn', 'tcp'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** What kind of intermediary a target is meant to be. It decides what counts as a finding. */
interface Profile {
  readonly meaning: string;
  /** Checks that only state facts with this profile: their outcome is `differs` in place of `fail`. */
  readonly tolerates: readonly string[];
}

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  gateway: {
    meaning: 'A reverse proxy, API gateway or load balancer: every rule for intermediaries counts.',
    tolerates: [],
  },
  cdn: {
    meaning:
      'A shared cache: it is expected to reuse responses, and may decode content, answer conditional requests from its store and replace the error pages of the origin.',
    tolerates: [
      'response/not-modified',
      'response/status-421',
      'response/status-425',
      'response/status-451',
      'response/status-500',
      'response/status-503',
      'response/status-599',
    ],
  },
  tcp: {
    meaning:
      'A tunnel: whatever changes in a message is a finding, and the rules for intermediaries do not apply.',
    tolerates: [],
  },
};
