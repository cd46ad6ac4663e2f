import { execFileSync, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOfKind, type Kind, kinds } from '../kinds.ts';
import { matchesAny } from './globs.ts';
import { importsOf, type Repository, readRepository, withFile, withoutComments } from './repository.ts';

/** What starts processes, speaks to others, or keeps a log on the disk: a test that imports it has real parts. */
const REAL_PARTS =
  /^(?:node:(?:child_process|cluster|dgram|https?|http2|net|tls)|@grpc\/.+|@nats-io\/.+|libsql|@stopgo\/(?:offline-model|store))$/;
/** An import of types only leaves nothing behind. */
const TYPES_ONLY = /^\s*(?:import|export)\s+type\b[^'"=;]*?\bfrom\s*['"][^'"]+['"]/gm;
/** What starts processes: a test that reaches it by the files that it tests may start one as well. */
const STARTS_PROCESSES = /^node:child_process$/;
/** These import it, by what they test, and start nothing: tests/unit-guard.ts would refuse it. */
const startNothing = [
  'cli/test/agent-definition.test.ts',
  'cli/test/check.test.ts',
  'services/mcp-bridge/test/command-rules.test.ts',
  'tests/topology/kinds.test.ts',
];

const repository = readRepository();
const isTest = (path: string) => path.endsWith('.test.ts');
const isOfTests = (path: string) => /(?:^|\/)tests?\//.test(path);

function kindsOf(path: string): Kind[] {
  return kinds.filter((kind) => matchesAny(path, filesOfKind[kind]));
}

/** Test files whose path names no kind, or two. */
function strays(of: Repository): string[] {
  return [...of.keys()]
    .filter(isTest)
    .map((path) => [path, kindsOf(path)] as const)
    .filter(([, found]) => found.length !== 1)
    .map(([path, found]) => `${path}: ${found.length === 0 ? 'of no kind' : found.join(' and ')}`);
}

/** Unit tests that import what no unit test has, themselves or by other files. */
function notUnits(of: Repository): string[] {
  return [...of.keys()]
    .filter((path) => isTest(path) && !startNothing.includes(path) && kindsOf(path).includes('unit'))
    .flatMap((path) => {
      const found = realPartOf(path, of);
      return found === undefined ? [] : [`${path}: ${found}`];
    });
}

function realPartOf(path: string, of: Repository): string | undefined {
  const seen = new Set([path]);
  for (const file of seen) {
    const refused = isOfTests(file) ? REAL_PARTS : STARTS_PROCESSES;
    for (const specifier of importsOf(withoutComments(of.get(file) ?? '').replace(TYPES_ONLY, ''))) {
      if (refused.test(specifier)) return `${file} imports ${specifier}`;
      if (specifier.startsWith('.')) seen.add(posix.join(posix.dirname(file), specifier));
    }
  }
  return undefined;
}

/** Kinds that the page about the tests leaves out. */
function untold(of: Repository): string[] {
  const page = of.get('tests/README.md') ?? '';
  return kinds.filter((kind) => !page.includes(`\n| \`${kind}\` | `));
}

const rules = { strays, notUnits, untold };

describe.each(Object.entries(rules))('%s', (_, rule) => {
  test('finds nothing', () => {
    expect(rule(repository)).toEqual([]);
  });
});

describe('each rule sees its mutant', () => {
  test.each([
    ['packages/core/test/new.postgres.test.ts', 'of no kind'],
    ['packages/core/src/new.test.ts', 'of no kind'],
    ['tests/browser/new.test.ts', 'of no kind'],
    ['tests/e2e/new.integration.test.ts', 'integration and e2e'],
    ['tests/simulation/new.sqlite.test.ts', 'integration and simulation'],
  ])('a test whose path does not say what it is: %s', (path, what) => {
    expect(strays(withFile(repository, path, '')).filter((line) => line.startsWith(path))).toEqual([
      `${path}: ${what}`,
    ]);
  });

  const mutant = 'services/gateway/test/mutant.test.ts';
  const foundIn = (path: string, text: string) =>
    notUnits(withFile(repository, path, text)).filter((line) => line.startsWith(path));

  test.each([
    "import { spawn } from 'node:child_process';",
    "import { createServer } from 'node:http';",
    "import { startStore } from '@stopgo/store';",
    "const { status } = await import('@grpc/grpc-js');",
  ])('a unit test with a real part: %s', (text) => {
    const [, specifier] = /'([^']+)'/.exec(text) ?? [];
    expect(foundIn(mutant, text)).toEqual([`${mutant}: ${mutant} imports ${specifier}`]);
  });

  test('a unit test with a real part that another file of the tests brings', () => {
    const nats = 'services/store/test/nats-server.ts';
    expect(foundIn(mutant, "import { startNats } from '../../store/test/nats-server.ts';")).toEqual([
      `${mutant}: ${nats} imports node:child_process`,
    ]);
  });

  test('a unit test of what starts processes', () => {
    const ofBridge = 'services/mcp-bridge/test/mutant.test.ts';
    expect(foundIn(ofBridge, "import { startMcpBridge } from '../src/start.ts';")).toEqual([
      expect.stringMatching(/: services\/mcp-bridge\/src\/.* imports node:child_process$/),
    ]);
  });

  test('but not one that imports types, or is no unit test', () => {
    expect(foundIn(mutant, "import type { Server } from 'node:http';")).toEqual([]);
    const other = mutant.replace('.test.ts', '.integration.test.ts');
    expect(foundIn(other, "import { createServer } from 'node:http';")).toEqual([]);
  });

  test('a page that tells nothing of a kind', () => {
    expect(untold(withFile(repository, 'tests/README.md', '# Tests\n'))).toEqual([...kinds]);
  });
});

describe('what imports do not tell is refused when it is done: a unit test', () => {
  test.each([
    ['starts no process', () => spawn(process.execPath, ['--version'])],
    ['starts none and waits for it', () => execFileSync(process.execPath, ['--version'])],
    ['does not listen', () => createServer().listen(0)],
    ['opens no connection', () => connect(1, '127.0.0.1')],
  ])('%s', (_, act) => {
    expect(act).toThrow(/^a unit test /);
  });
});
