import { describe, expect, test } from 'vitest';
import { filesOfKind, kinds } from '../kinds.ts';
import { filesOf, filesOfKindIn, sameOverServices, type Tier, tierOf } from '../tiers.ts';
import { matchesAny } from './globs.ts';
import { type Repository, readRepository, withFile } from './repository.ts';

/** Says that a test starts a nats-server, itself or by the launcher of separate processes. */
const STARTS_NATS = /\bcommand: 'services'|\bstartNats\(|\bdescribe(?:OnNats|WithNats)\(/;
/** Says that it is skipped where there is none. */
const LOOKS_FOR_NATS = /skipIf\(!hasNatsServer\)|skipIf\(program === undefined\)/;

/** A hook outside of any function. */
const REGISTERS_HOOK = /^(?:before|after)(?:Each|All)\(/m;

const repository = readRepository();
const isTest = (path: string) => path.endsWith('.test.ts');
/** What somebody may take for a test, and no tier runs under that name. */
const seemsTest = (path: string) => /\.(?:test|tests|spec|specs)\.[cm]?[jt]sx?$/.test(path);
/** `test:services` runs these, whatever the other tiers leave out. */
const isOverServices = (path: string) => path.startsWith('tests/e2e/') && !matchesAny(path, sameOverServices);

/** `test:web` runs these. */
const isOnChromium = (path: string) => matchesAny(path, filesOfKind.web);

/** How often a file is run in a tier. */
function timesIn(tier: Tier, path: string): number {
  return kinds.filter((kind) => {
    const { include, exclude } = filesOfKindIn(tier, kind);
    return matchesAny(path, include) && !matchesAny(path, exclude);
  }).length;
}

function lost(of: Repository): string[] {
  const isRun = (path: string) =>
    isTest(path) &&
    (timesIn('quick', path) > 0 || timesIn('slow', path) > 0 || isOverServices(path) || isOnChromium(path));
  return [...of.keys()].filter((path) => seemsTest(path) && !isRun(path));
}

function repeated(of: Repository): string[] {
  const tiers: readonly Tier[] = ['all', 'quick', 'slow', 'other-node'];
  return [...of.keys()].filter(isTest).filter((path) => tiers.some((tier) => timesIn(tier, path) > 1));
}

function unguarded(of: Repository): string[] {
  return [...of]
    .filter(([path]) => isTest(path) && timesIn('quick', path) > 0 && !path.startsWith('tests/topology/'))
    .filter(([, text]) => STARTS_NATS.test(text) && !LOOKS_FOR_NATS.test(text))
    .map(([path]) => path);
}

/** What is left out of the quick tests by a pattern that nothing matches any more, such as the old name of a file. */
function stale(of: Repository): string[] {
  const patterns = [...filesOf('quick').exclude, ...sameOverServices, ...filesOf('slow').include];
  const tests = [...of.keys()].filter(isTest);
  return patterns.filter((pattern) => !tests.some((path) => matchesAny(path, [pattern])));
}

/** `setupFiles` of vitest.config.ts: they are loaded anew for each file. */
const loadedForEach = ['tests/e2e/described-setup.ts'];

/** Hooks that a module registers when it is loaded: where files share a process, that is in the first of them only. */
function lostHooks(of: Repository): string[] {
  return [...of]
    .filter(([path]) => !loadedForEach.includes(path))
    .filter(([path]) => /(^|\/)tests?\//.test(path) && path.endsWith('.ts') && !isTest(path))
    .filter(([, text]) => REGISTERS_HOOK.test(text))
    .map(([path]) => path);
}

const rules = { lost, repeated, unguarded, stale, lostHooks };

describe.each(Object.entries(rules))('%s', (_, rule) => {
  test('finds nothing', () => {
    expect(rule(repository)).toEqual([]);
  });
});

describe('each rule sees its mutant', () => {
  const gateways = 'tests/e2e/new-gateways.test.ts';
  const starting = "await start(place, config, { command: 'services' });";

  test('a test that needs a nats-server and does not look for one', () => {
    expect(unguarded(withFile(repository, gateways, starting))).toEqual([gateways]);
    const looking = `test.skipIf(!hasNatsServer)('x', () => { ${starting} });`;
    expect(unguarded(withFile(repository, gateways, looking))).toEqual([]);
  });

  test.each([
    'bench/new.test.ts',
    'packages/core/src/new.test.ts',
    'packages/core/test/new.spec.ts',
    'tests/e2e/new.test.mts',
  ])('a test that no tier has: %s', (path) => {
    expect(lost(withFile(repository, path, ''))).toEqual([path]);
  });

  test('a file that tests import, with a hook of its own', () => {
    const support = 'services/gateway/test/support/new.ts';
    expect(lostHooks(withFile(repository, support, 'afterEach(() => stop());\n'))).toEqual([support]);
    const inside = 'export function begins() {\n  afterEach(() => stop());\n}\n';
    expect(lostHooks(withFile(repository, support, inside))).toEqual([]);
  });

  test('a file of the slow ones that has gone', () => {
    const without = new Map([...repository].filter(([path]) => path !== 'tests/crash/short.e2e.test.ts'));
    expect(stale(without)).toEqual(['tests/crash/short.e2e.test.ts', 'tests/crash/short.e2e.test.ts']);
  });
});

test('what runs is all of it unless a tier is named; another word is refused', () => {
  expect(tierOf({})).toBe('all');
  expect(tierOf({ STOPGO_TESTS: 'quick' })).toBe('quick');
  expect(() => tierOf({ STOPGO_TESTS: 'fast' })).toThrow(/expected quick, slow or other-node, found "fast"/);
});
