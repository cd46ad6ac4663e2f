import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Repository, readRepository, sources, withFile } from './repository.ts';

/** A file that long has more than one reason to change. */
const LINES_MAX = 400;
/** Names that say nothing: everything fits in, so everything ends up there. */
const EMPTY_NAMES = /^(utils?|helpers?|common|misc|stuff|shared)$/i;

// Written in pieces, so that this file does not hold what it looks for.
const REGISTRY_HOSTS = [
  ['registry', 'npmjs'],
  ['registry', 'yarnpkg'],
  ['npm', 'pkg', 'github'],
  ['deb', 'debian'],
].map((parts) => parts.join('.'));
const MACHINE_PATHS = ['/work'.concat('/'), '..'.concat('/shared'), '.'.concat('library')];
/** Labels of a list of requirements, such as `row A` with a number: who reads the code does not have that list. `U+E000` and PKCE's `S256` are none. */
const REQUIREMENT_ROW = /(?<![+\w\\])(?!S256\b)(?:[A-Z]\d{3}|X\d{2}|(?:TS|N?FR)-\d{3})\b|\brequirement rows?\b/;
const ROW = 'A'.concat('006');
const STORY = 'TS-'.concat('001');
const DEMAND = 'NFR-'.concat('015');
/** The one file that may name a tool of the machine it runs on. */
const MACHINE_FILE = '.ci/run';

function emptyNames(repository: Repository): string[] {
  return sources(repository)
    .map(([path]) => path)
    .filter((path) => path.split('/').some((part) => EMPTY_NAMES.test(part.replace(/(\.[a-z]+)+$/, ''))));
}

function longFiles(repository: Repository): string[] {
  return sources(repository)
    .map(([path, text]) => ({ path, lines: text.replace(/\n$/, '').split('\n').length }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

function registryHosts(repository: Repository): string[] {
  return [...repository].filter(([, text]) => REGISTRY_HOSTS.some((host) => text.includes(host))).map(([path]) => path);
}

function machinePaths(repository: Repository): string[] {
  return [...repository]
    .filter(([path]) => path !== MACHINE_FILE)
    .filter(([, text]) => MACHINE_PATHS.some((machine) => text.includes(machine)))
    .map(([path]) => path);
}

/** A comment, a title or a page says the reason itself. */
function requirementRows(repository: Repository): string[] {
  return [...repository]
    .filter(([path]) => /\.(ts|mts|mjs|proto|sh|md|ya?ml)$/.test(path) && !path.includes('/gen/'))
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index) => {
        const [row] = REQUIREMENT_ROW.exec(line) ?? [];
        return row === undefined ? [] : [`${path}:${index + 1} cites ${row}`];
      }),
    );
}

type LockedPackage = {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** `npm ci` refuses a lock file that names packages for other platforms without holding them. */
function lockFile(repository: Repository): string[] {
  const { packages } = JSON.parse(repository.get('package-lock.json') ?? '{"packages":{}}') as {
    packages: Record<string, LockedPackage>;
  };
  const problems: string[] = [];
  for (const [location, { resolved, link, optionalDependencies = {} }] of Object.entries(packages)) {
    if (resolved !== undefined && link !== true) problems.push(`${location} has a download address`);
    for (const name of Object.keys(optionalDependencies)) {
      if (!isHeld(packages, location, name)) problems.push(`${name} is missing; run: npm run complete-lock`);
    }
  }
  return problems;
}

/** True when the package is where Node would find it from `location`. */
function isHeld(packages: Readonly<Record<string, LockedPackage>>, location: string, name: string): boolean {
  if (packages[posix.join(location, 'node_modules', name)] !== undefined) return true;
  if (location === '') return false;
  const above = location.lastIndexOf('/node_modules/');
  return isHeld(packages, above < 0 ? '' : location.slice(0, above), name);
}

const repository = readRepository();
const rules = { emptyNames, longFiles, registryHosts, machinePaths, requirementRows, lockFile };

describe.each(Object.entries(rules))('%s', (_, rule) => {
  test('finds nothing', () => {
    expect(rule(repository)).toEqual([]);
  });
});

describe('each rule sees its mutant', () => {
  const locked = (entry: LockedPackage) => JSON.stringify({ packages: { 'node_modules/mutant': entry } });

  test.each<[string, keyof typeof rules, string, string, string]>([
    ['an empty name', 'emptyNames', 'services/store/src/utils.ts', '', 'services/store/src/utils.ts'],
    ['a folder with an empty name', 'emptyNames', 'cli/src/common/x.test.ts', '', 'cli/src/common/x.test.ts'],
    ['a line too many', 'longFiles', 'bench/src/mutant.ts', 'x\n'.repeat(401), 'bench/src/mutant.ts has 401 lines'],
    ['a registry host', 'registryHosts', '.npmrc', `registry=https://${REGISTRY_HOSTS[0]}.org/`, '.npmrc'],
    ['a host in a page', 'registryHosts', 'docs/mutant.md', `see ${REGISTRY_HOSTS[3]}.org`, 'docs/mutant.md'],
    ['a path of this machine', 'machinePaths', 'docs/mutant.md', `cd ${MACHINE_PATHS[0]}main`, 'docs/mutant.md'],
    [
      'a tool of this machine',
      'machinePaths',
      'scripts/mutant.mjs',
      `run('${MACHINE_PATHS[1]}/tools/x')`,
      'scripts/mutant.mjs',
    ],
    [
      'a requirement',
      'requirementRows',
      'cli/src/mutant.ts',
      `\n// in ms (row ${ROW})`,
      `cli/src/mutant.ts:2 cites ${ROW}`,
    ],
    [
      'one in a title',
      'requirementRows',
      'cli/test/x.test.ts',
      `test('a (${STORY})')`,
      `cli/test/x.test.ts:1 cites ${STORY}`,
    ],
    [
      'a functional requirement',
      'requirementRows',
      'cli/test/x.test.ts',
      `test('a (${DEMAND})')`,
      `cli/test/x.test.ts:1 cites ${DEMAND}`,
    ],
    [
      'a download address',
      'lockFile',
      'package-lock.json',
      locked({ resolved: 'https://h/x.tgz' }),
      'node_modules/mutant has a download address',
    ],
    [
      'a package left out',
      'lockFile',
      'package-lock.json',
      locked({ optionalDependencies: { 'x-darwin-arm64': '1.0.0' } }),
      'x-darwin-arm64 is missing; run: npm run complete-lock',
    ],
  ])('%s', (_, rule, path, text, violation) => {
    expect(rules[rule](withFile(repository, path, text))).toContain(violation);
  });

  test('but not a file of exactly the allowed length, nor the one that may name a tool of the machine, nor a code point', () => {
    const longest = new Map([['bench/src/longest.ts', 'x\n'.repeat(LINES_MAX)]]);
    expect(longFiles(longest)).toEqual([]);
    expect(requirementRows(new Map([['cli/src/x.ts', '// U+E000, VS16, SHA-256, HTTP 404']]))).toEqual([]);
    expect(machinePaths(withFile(repository, MACHINE_FILE, `${MACHINE_PATHS[1]}/tools`))).toEqual([]);
  });
});
