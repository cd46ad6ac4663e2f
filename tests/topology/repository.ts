import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The text files of the repository by path (`packages/core/src/index.ts`). Rules read nothing else. */
export type Repository = ReadonlyMap<string, string>;

export type Manifest = {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

/** A package of the workspace: its folder and what its package.json says. */
export type Workspace = { readonly folder: string; readonly manifest: Manifest };

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.cache', 'coverage', 'data']);
const TEXT_FILE = /(\.(ts|mts|mjs|js|json|md|ya?ml|proto|html|css|sh|npmrc)|\/[^.]+|^[^.]+|^\.[a-z]+)$/;
const SOURCE_FILE = /\.(ts|mts|mjs)$/;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Reads the repository this test belongs to. */
export function readRepository(): Repository {
  const files = new Map<string, string>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      // In a worktree .git is a file.
      if (NOT_OURS.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      if (entry.isFile() && TEXT_FILE.test(path)) files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  walk('');
  return files;
}

/** The repository with one file more, or with another text in it: what a mutant is made of. */
export function withFile(repository: Repository, path: string, text: string): Repository {
  return new Map([...repository, [path, text]]);
}

/** Source files that people write (generated code is not one), each with its text. */
export function sources(repository: Repository, folder = ''): [path: string, text: string][] {
  return [...repository].filter(
    ([path]) => path.startsWith(folder) && SOURCE_FILE.test(path) && !path.includes('/gen/'),
  );
}

/** Every package of the workspace, the root left out. */
export function workspaces(repository: Repository): Workspace[] {
  return [...repository]
    .filter(([path]) => path.endsWith('/package.json'))
    .map(([path, text]) => ({ folder: path.slice(0, -'/package.json'.length), manifest: parseManifest(text) }));
}

export function rootManifest(repository: Repository): Manifest {
  return parseManifest(repository.get('package.json') ?? '{}');
}

/** What a source file imports, in whatever way. */
export function importsOf(text: string): string[] {
  const statements = text.matchAll(/^\s*(?:import|export)\b[^'"=;]*?\bfrom\s*['"]([^'"]+)['"]/gm);
  const bare = text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  return [...statements, ...bare, ...dynamic].map((match) => match[1] ?? '');
}

/** The package that an import names: `@scope/name` or `name`; undefined for files and for Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./]|^node:/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The text without its comments, so that a rule does not trip over prose. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*.*?\*\//gs, '').replace(/(^|\s)\/\/.*$/gm, '');
}

function parseManifest(text: string): Manifest {
  return JSON.parse(text) as Manifest;
}
