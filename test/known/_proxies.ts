import type { KnownProxy } from './_known-proxy.ts';
import { knownLibraries } from './_libraries.ts';
import { knownServers } from './_servers.ts';

export const knownProxies: readonly KnownProxy[] = [...knownServers, ...knownLibraries];
