import { go, type Command } from '../proxies/_configured.ts';
import type { Program } from '../proxies/_proxy-process.ts';
import { program, single, type KnownProxy } from './_known-proxy.ts';

/** A program that compiles the main program of its folder. */
function compiled(name: Program): Command {
  return { ...program(name), compile: ['build'] };
}

/** Libraries with a proxy, each in the shortest program that makes it one. test/known/install installs all but Go. */
export const knownLibraries: readonly KnownProxy[] = [
  single('go', "Go's ReverseProxy", go(8443), 'version', 'main.go'),
  single('fiber', 'Fiber', compiled('fiber'), '--version', 'main.go'),
  single('pingora', 'Pingora', compiled('pingora'), '--version', 'main.rs'),
  single('jetty', 'Jetty', compiled('jetty'), '--version', 'Proxy.java'),
  single('undertow', 'Undertow', compiled('undertow'), '--version', 'Proxy.java'),
  single('vertx', 'Vert.x', compiled('vertx'), '--version', 'Proxy.java'),
  single(
    'http-proxy-3',
    'http-proxy-3',
    program('http-proxy-3', 'proxy.cjs'),
    '--version',
    'proxy.cjs',
  ),
  single(
    'http2-proxy',
    'http2-proxy',
    program('http2-proxy', 'proxy.cjs'),
    '--version',
    'proxy.cjs',
  ),
  single(
    'fastify',
    '@fastify/http-proxy',
    program('fastify', 'proxy.cjs'),
    '--version',
    'proxy.cjs',
  ),
];
