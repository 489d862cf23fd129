import type { DialectName } from '../server/dialect.ts';
import { flagOf, variableOf, type settings } from '../settings/settings.ts';

type SettingName = keyof typeof settings;

type Variables = Readonly<Record<string, SettingName>>;

/** Environment variables of the original programs, and the settings that do what they did. */
const VARIABLES: ReadonlyMap<DialectName, Variables> = new Map([
  [
    'go-httpbin',
    {
      PORT: 'port',
      HOST: 'host',
      MAX_BODY_SIZE: 'maxBodySize',
      MAX_DURATION: 'maxDuration',
      HTTPS_CERT_FILE: 'tlsCert',
      HTTPS_KEY_FILE: 'tlsKey',
      ALLOWED_REDIRECT_DOMAINS: 'allowedRedirectDomains',
      USE_REAL_HOSTNAME: 'hostnameEnabled',
      LOG_LEVEL: 'logLevel',
    },
  ],
  [
    'gateway-api',
    {
      HTTP_PORT: 'port',
      H2C_PORT: 'port',
      HTTPS_PORT: 'port',
      TLS_SERVER_CERT: 'tlsCert',
      TLS_SERVER_PRIVKEY: 'tlsKey',
      TLS_CLIENT_CACERTS: 'tlsCa',
    },
  ],
]);

/**
 * A warning for each variable of the original program that the environment has. They are not read: other programs use
 * some of these names, too.
 *
 * @param given settings that the user has given
 */
export function originalVariables(
  dialect: DialectName,
  environment: Readonly<Record<string, string | undefined>>,
  given: ReadonlySet<string>,
): string[] {
  return Object.entries(VARIABLES.get(dialect) ?? {}).flatMap(([variable, setting]) => {
    if (!environment[variable] || given.has(setting)) return [];
    const instead = `--${flagOf(setting)} or ${variableOf(setting)}`;
    return [`the variable ${variable} of ${dialect} is not read; use ${instead}`];
  });
}
