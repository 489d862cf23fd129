import { isServedPath, unknownPaths } from '../endpoints/all.ts';
import { isMethodPath } from '../grpc/method-path.ts';
import { longestDelay } from './chaos-shares.ts';
import { TLS_VERSIONS, type Naming, type Values } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Checks dependencies between settings. @throws SettingsError */
export function checkCombinations(read: Values, { short, full }: Naming): void {
  const { tlsCert, tlsKey, tlsMin, tlsMax, tlsCa, clientCert, disable, tap, tapSecrets } = read;
  const { inspect, inspectFile, logFormat, logRequests } = read;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const message = `${short('tlsCert')} and ${short('tlsKey')} must be given together`;
    throw new SettingsError(message, tlsCert === undefined ? 'tlsCert' : 'tlsKey');
  }
  if (tlsCert?.split(',').length !== tlsKey?.split(',').length) {
    const message = `${short('tlsCert')} and ${short('tlsKey')} must have as many files as each other`;
    throw new SettingsError(message, 'tlsKey');
  }
  if (TLS_VERSIONS.indexOf(tlsMin) > TLS_VERSIONS.indexOf(tlsMax)) {
    const message = `${short('tlsMin')} ${tlsMin} is higher than ${short('tlsMax')} ${tlsMax}`;
    throw new SettingsError(message, 'tlsMin');
  }
  if (tlsCa !== undefined && clientCert === 'none') {
    const message = `${short('tlsCa')} requires ${short('clientCert')} request or require`;
    throw new SettingsError(message, 'tlsCa');
  }
  if (tapSecrets && !tap) {
    throw new SettingsError(`${short('tapSecrets')} requires ${short('tap')}`, 'tapSecrets');
  }
  if (inspectFile !== undefined && !inspect) {
    throw new SettingsError(`${short('inspectFile')} requires ${short('inspect')}`, 'inspectFile');
  }
  if (logFormat !== 'json' && !logRequests) {
    throw new SettingsError(`${short('logFormat')} requires ${short('logRequests')}`, 'logFormat');
  }
  if (read.respond.length > 0 && read.lean) {
    throw new SettingsError(`${short('respond')} does not work with ${short('lean')}`, 'respond');
  }
  checkChaos(read, { short, full });
  // Those of gRPC are checked when it is loaded: see service/method-paths.ts.
  const [unknown] = unknownPaths(disable.filter((path) => !isMethodPath(path)));
  if (unknown !== undefined) {
    const message = `${full('disable')}: no endpoint has the path ${unknown}`;
    throw new SettingsError(message, 'disable');
  }
}

function checkChaos(
  { chaos, chaosPaths, chaosSeed, dialect, maxDuration }: Values,
  { short, full }: Pick<Naming, 'short' | 'full'>,
): void {
  for (const [name, isSet] of [
    ['chaosPaths', chaosPaths.length > 0],
    ['chaosSeed', chaosSeed !== undefined],
  ] as const) {
    if (isSet && !chaos) throw new SettingsError(`${short(name)} requires ${short('chaos')}`, name);
  }
  if (longestDelay(chaos) > maxDuration) {
    const message = `${full('chaos')}: a delay exceeds ${short('maxDuration')}`;
    throw new SettingsError(message, 'chaos');
  }
  // Not with gateway-api, where every path is served.
  const unknown = chaosPaths.find(
    (path) =>
      !path.startsWith('/') ||
      (dialect !== 'gateway-api' && !isServedPath(path) && !isMethodPath(path)),
  );
  if (unknown !== undefined) {
    const message = `${full('chaosPaths')}: no endpoint has the path ${unknown}`;
    throw new SettingsError(message, 'chaosPaths');
  }
}
