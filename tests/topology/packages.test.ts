import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  importsOf,
  packageOf,
  type Repository,
  readRepository,
  rootManifest,
  sources,
  type Workspace,
  withFile,
  workspaces,
} from './repository.ts';

const SHARED = ['@stopgo/core', '@stopgo/proto', '@stopgo/rpc', '@stopgo/runtime'];
const SERVICES = ['approvals', 'gateway', 'mcp-bridge', 'orchestrator', 'registry', 'store', 'web'].map(
  (name) => `@stopgo/${name}`,
);
/** Programs of their own: started, not imported, except by tests that want them in their own process. */
const PROGRAMS = ['@stopgo/mcp-filesystem', '@stopgo/mcp-resources', '@stopgo/offline-model'];
/** What the tool servers that we ship are made of. */
const TOOL_SERVER = '@stopgo/tool-server';
/** Appending, deciding again after a conflict, heartbeats: for the services that write to the log. */
const LOG = '@stopgo/log';
/** What an agent that others reach over A2A is made of. */
const A2A = '@stopgo/a2a-agent';
/** Who is reached, who may call, what is kept secret: needs nothing but Node. */
const SECURITY = '@stopgo/security';
/** What an HTTP server does whatever it serves. */
const HTTP = '@stopgo/http';
/** Values against the schemas that tool servers give. */
const JSON_SCHEMA = '@stopgo/json-schema';
/** Agents as files of markdown: what one means, what it is called. Reads nothing itself. */
const AGENT_FILES = '@stopgo/agent-files';
/** What talks to a platform over HTTP. It is published, and needs nothing of ours. */
const CLIENT = '@stopgo/client';
const ANYTHING = [CLIENT, ...SHARED, SECURITY, LOG, A2A, HTTP, JSON_SCHEMA, AGENT_FILES, ...SERVICES, ...PROGRAMS];

/** Every package and the packages of ours that its code may use: edges use services, services use the shared ones. */
const PACKAGES: Readonly<Record<string, { readonly name: string; readonly may: readonly string[] }>> = {
  'packages/proto': { name: '@stopgo/proto', may: [] },
  'packages/core': { name: '@stopgo/core', may: ['@stopgo/proto'] },
  'packages/a2a-agent': { name: A2A, may: ['@stopgo/core', '@stopgo/proto', HTTP] },
  'packages/agent-files': { name: AGENT_FILES, may: ['@stopgo/core', '@stopgo/runtime'] },
  'packages/client': { name: CLIENT, may: [] },
  'packages/http': { name: HTTP, may: ['@stopgo/core', SECURITY] },
  'packages/json-schema': { name: JSON_SCHEMA, may: ['@stopgo/core'] },
  'packages/rpc': { name: '@stopgo/rpc', may: ['@stopgo/core', '@stopgo/proto', SECURITY] },
  'packages/log': { name: LOG, may: ['@stopgo/core', '@stopgo/proto', '@stopgo/rpc'] },
  'packages/runtime': { name: '@stopgo/runtime', may: ['@stopgo/core', SECURITY] },
  'packages/security': { name: SECURITY, may: [] },
  'services/approvals': { name: '@stopgo/approvals', may: [...SHARED, LOG, JSON_SCHEMA] },
  'services/gateway': { name: '@stopgo/gateway', may: [...SHARED, SECURITY, A2A, HTTP] },
  'services/mcp-bridge': { name: '@stopgo/mcp-bridge', may: [...SHARED, SECURITY, LOG, JSON_SCHEMA] },
  'services/orchestrator': { name: '@stopgo/orchestrator', may: [...SHARED, SECURITY, LOG, A2A, JSON_SCHEMA] },
  'services/registry': { name: '@stopgo/registry', may: [...SHARED, SECURITY, LOG, AGENT_FILES] },
  'services/web': { name: '@stopgo/web', may: ['@stopgo/core', '@stopgo/runtime', SECURITY, HTTP, CLIENT] },
  'services/store': { name: '@stopgo/store', may: SHARED },
  'packages/tool-server': { name: TOOL_SERVER, may: [SECURITY] },
  'mcp-servers/filesystem': { name: '@stopgo/mcp-filesystem', may: [TOOL_SERVER] },
  'mcp-servers/resources': { name: '@stopgo/mcp-resources', may: [TOOL_SERVER] },
  'offline-model': { name: '@stopgo/offline-model', may: [] },
  cli: { name: '@stopgo/cli', may: ANYTHING },
  tests: { name: '@stopgo/tests', may: [...ANYTHING, '@stopgo/cli'] },
  bench: { name: '@stopgo/bench', may: [...ANYTHING, '@stopgo/cli'] },
};

function pinnedPackages(repository: Repository): string[] {
  const found = workspaces(repository).map(({ folder, manifest }) => `${folder} is ${manifest.name}`);
  const pinned = Object.entries(PACKAGES).map(([folder, { name }]) => `${folder} is ${name}`);
  return [
    ...found.filter((line) => !pinned.includes(line)).map((line) => `not pinned: ${line}`),
    ...pinned.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`),
  ];
}

function directions(repository: Repository): string[] {
  return workspaces(repository).flatMap(({ folder, manifest }) => {
    const may = PACKAGES[folder]?.may ?? [];
    const forbidden = (name: string, inTests: boolean) =>
      name.startsWith('@stopgo/') &&
      name !== manifest.name &&
      !may.includes(name) &&
      !(inTests && [...SHARED, ...PROGRAMS].includes(name));
    const declared = Object.keys(manifest.dependencies ?? {})
      .filter((name) => forbidden(name, false))
      .map((name) => `${folder}/package.json depends on ${name}`);
    const imported = eachImport(repository, folder)
      .filter(({ path, specifier }) => forbidden(packageOf(specifier) ?? '', !isProduct(path, folder)))
      .map(({ path, specifier }) => `${path} imports ${specifier}`);
    return [...declared, ...imported];
  });
}

function undeclaredImports(repository: Repository): string[] {
  const forTests = Object.keys(rootManifest(repository).devDependencies ?? {});
  return workspaces(repository).flatMap((workspace) =>
    eachImport(repository, workspace.folder)
      .filter(({ path, specifier }) => {
        const name = packageOf(specifier);
        if (name === undefined || name === workspace.manifest.name) return false;
        const declared = Object.keys(workspace.manifest.dependencies ?? {});
        if (isProduct(path, workspace.folder)) return !declared.includes(name);
        return ![...declared, ...Object.keys(workspace.manifest.devDependencies ?? {}), ...forTests].includes(name);
      })
      .map(
        ({ path, specifier }) => `${path} imports ${specifier}, which ${workspace.folder}/package.json does not name`,
      ),
  );
}

/** What the tests of every package may ask of how they are run: in which tier, with which arguments, on which ports and disks. */
const howTestsRun = ['tests/tiers.ts', 'tests/node-arguments.ts', 'tests/free-ports.ts', 'tests/small-disk.ts'];

/** What programs that `npm run` starts read their flags with; those that are no product, wherever they lie. */
const flagsOfPrograms = 'scripts/flags.mjs';

/** A relative import that leaves its package goes around the package's exports. What runs before anything is built is in `bin`. */
function escapes(repository: Repository): string[] {
  return workspaces(repository).flatMap(({ folder }) =>
    eachImport(repository, folder)
      .filter(({ path, specifier }) => {
        if (!specifier.startsWith('.')) return false;
        const target = posix.join(posix.dirname(path), specifier);
        const inside = target.startsWith(`${folder}/`);
        if (target === flagsOfPrograms && ['tests', 'bench'].includes(folder)) return false;
        if (howTestsRun.includes(target) && !isProduct(path, folder)) return false;
        const ofProduct = [`${folder}/src/`, `${folder}/bin/`].some((part) => target.startsWith(part));
        return !inside || (isProduct(path, folder) && !ofProduct);
      })
      .map(({ path, specifier }) => `${path} reaches out to ${specifier}`),
  );
}

function eachImport(repository: Repository, folder: string): { path: string; specifier: string }[] {
  return sources(repository, `${folder}/`).flatMap(([path, text]) =>
    importsOf(text).map((specifier) => ({ path, specifier })),
  );
}

function isProduct(path: string, folder: Workspace['folder']): boolean {
  return path.startsWith(`${folder}/src/`);
}

const repository = readRepository();
const rules = { pinnedPackages, directions, undeclaredImports, escapes };

describe.each(Object.entries(rules))('%s', (_, rule) => {
  test('holds', () => {
    expect(rule(repository)).toEqual([]);
  });
});

describe('each rule sees its mutant', () => {
  const manifest = (name: string, dependencies = {}) => JSON.stringify({ name, dependencies });

  test.each<[string, keyof typeof rules, string, string, string]>([
    [
      'a new package',
      'pinnedPackages',
      'packages/extra/package.json',
      manifest('@stopgo/extra'),
      'not pinned: packages/extra is @stopgo/extra',
    ],
    ['a renamed package', 'pinnedPackages', 'cli/package.json', manifest('stopgo'), 'missing: cli is @stopgo/cli'],
    [
      'a service that depends on another',
      'directions',
      'services/approvals/package.json',
      manifest('@stopgo/approvals', { '@stopgo/store': '*' }),
      'services/approvals/package.json depends on @stopgo/store',
    ],
    [
      'a service that imports another',
      'directions',
      'services/gateway/src/mutant.ts',
      "import { start } from '@stopgo/store';",
      'services/gateway/src/mutant.ts imports @stopgo/store',
    ],
    [
      'a service test that imports another service',
      'directions',
      'services/gateway/test/mutant.ts',
      "import type { X } from '@stopgo/store';",
      'services/gateway/test/mutant.ts imports @stopgo/store',
    ],
    [
      'a core that imports outwards',
      'directions',
      'packages/core/src/mutant.ts',
      "export * from '@stopgo/rpc';",
      'packages/core/src/mutant.ts imports @stopgo/rpc',
    ],
    [
      'an import nobody declared',
      'undeclaredImports',
      'services/store/src/mutant.ts',
      "import x from 'express/lib/x.js';",
      'services/store/src/mutant.ts imports express/lib/x.js, which services/store/package.json does not name',
    ],
    [
      'a tool of the tests in the product',
      'undeclaredImports',
      'packages/rpc/src/mutant.ts',
      "import {\n  test,\n} from 'vitest';",
      'packages/rpc/src/mutant.ts imports vitest, which packages/rpc/package.json does not name',
    ],
    [
      'a way around the exports',
      'escapes',
      'services/store/src/mutant.ts',
      "import '../../../packages/core/src/text/digest.ts';",
      'services/store/src/mutant.ts reaches out to ../../../packages/core/src/text/digest.ts',
    ],
    [
      'a product that asks how tests are run',
      'escapes',
      'services/store/src/mutant.ts',
      "import '../../../tests/tiers.ts';",
      'services/store/src/mutant.ts reaches out to ../../../tests/tiers.ts',
    ],
    [
      'a product that reads flags as our tools do',
      'escapes',
      'cli/src/mutant.ts',
      "import '../../scripts/flags.mjs';",
      'cli/src/mutant.ts reaches out to ../../scripts/flags.mjs',
    ],
    [
      'a product that uses its tests',
      'escapes',
      'services/store/src/mutant.ts',
      "import { x } from '../test/x.ts';",
      'services/store/src/mutant.ts reaches out to ../test/x.ts',
    ],
  ])('%s', (_, rule, path, text, violation) => {
    expect(rules[rule](withFile(repository, path, text))).toContain(violation);
  });
});
