import { nearest } from './nearest.ts';

/**
 * Variables that Kubernetes sets in a Pod for each Service: WIREBIN_SERVICE_HOST and WIREBIN_PORT_8080_TCP_ADDR
 * for one named wirebin, WIREBIN_B_PORT for one named wirebin-b.
 */
const SERVICE_VARIABLE = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;

/** The URL that the variable NAME_PORT of a Service has. */
export const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/**
 * Returns a warning for each variable with the prefix that is not known, but for those of Kubernetes. It is not
 * an error: the environment also belongs to others.
 *
 * @param help what lists the variables
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
    // The prefix must not count for the distance.
    const near = nearest(
      name.slice(prefix.length),
      known.map((other) => other.slice(prefix.length)),
    );
    const hint = near === undefined ? `see ${help}` : `did you mean ${prefix}${near}?`;
    return [`the variable ${name} is unknown, and ignored; ${hint}`];
  });
}
