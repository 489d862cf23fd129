import { nameHint } from '../http/nearest.ts';

/**
 * Variables that Kubernetes sets in a Pod for each Service: WIREBIN_SERVICE_HOST and WIREBIN_PORT_8080_TCP_ADDR for one
 * named wirebin, WIREBIN_B_PORT for one named wirebin-b.
 */
const SERVICE_VARIABLE = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;

/** The URL in Kubernetes' variable NAME_PORT of a Service. */
export const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/**
 * A warning for each unknown variable with the prefix, except those of Kubernetes. No error, because other programs may
 * use the environment, too.
 *
 * @param help where the variables are listed
 */
export function unknownVariables(
  prefix: string,
  known: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  help: string,
): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!name.startsWith(prefix) || known.includes(name)) return [];
    if (SERVICE_VARIABLE.test(name) || SERVICE_LINK.test(value)) return [];
    // Compared without the prefix, which would make all names similar.
    const others = known.map((other) => other.slice(prefix.length));
    const hint = nameHint(name.slice(prefix.length), others, `see ${help}`, prefix);
    return [`the variable ${name} is unknown, and ignored; ${hint}`];
  });
}
