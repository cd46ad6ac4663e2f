import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartupError } from '@stopgo/tool-server';
import { isWithin } from './folder.ts';
import { Refusal, reasonWithoutPath } from './refusal.ts';
import { isListedTool, type ListedTool, listedTools, type ToolName } from './tool-names.ts';

/** A root as the settings name it. */
export interface RootSettings {
  readonly name: string;
  readonly path: string;
  readonly allowedTools: readonly string[];
}

/** A folder that callers may work in, by its name; they never learn where it lies. */
export interface Root {
  readonly name: string;
  /** Its path on the host, free of links. */
  readonly real: string;
  /** Its path as the settings give it, absolute. Links inside of the root may lead through it. */
  readonly given: string;
  readonly allowed: ReadonlySet<ToolName>;
}

export type Roots = ReadonlyMap<string, Root>;

/** Finds the roots on the host. @throws StartupError for the first that cannot be used, by its place in the list. */
export function openRoots(settings: readonly RootSettings[]): Roots {
  if (settings.length === 0) throw new StartupError('No roots configured. Provide a config file with --config');
  const roots = new Map<string, Root>();
  for (const [index, { name, path, allowedTools }] of settings.entries()) {
    if (name === '') throw new StartupError(`roots[${index}]: name is required`);
    if (roots.has(name)) throw new StartupError(`duplicate root name: ${name}`);
    const where = `roots[${index}] ${JSON.stringify(name)}`;
    if (path === '') throw new StartupError(`${where}: path is required`);
    const real = realFolder(where, path);
    roots.set(name, { name, real, given: resolve(path), allowed: allowedSet(where, allowedTools) });
  }
  return roots;
}

function realFolder(where: string, path: string): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (thrown) {
    const reason = reasonWithoutPath(thrown).replace('any more', '');
    throw new StartupError(`${where}: resolve path ${path}: ${reason.trim()}`);
  }
  if (!statSync(real).isDirectory()) throw new StartupError(`${where}: path ${path} is not a directory`);
  return real;
}

function allowedSet(where: string, tools: readonly string[]): ReadonlySet<ListedTool> {
  const allowed = new Set<ListedTool>();
  for (const tool of tools) {
    if (tool === '*') for (const each of listedTools) allowed.add(each);
    else if (isListedTool(tool)) allowed.add(tool);
    else throw new StartupError(`${where}: unknown tool ${JSON.stringify(tool)} in allowed_tools`);
  }
  return allowed;
}

/** Pairs of roots of which the second lies in the first: what the first allows can then be done to the second. */
export function nestedRoots(roots: Roots): readonly (readonly [string, string])[] {
  const all = [...roots.values()];
  return all.flatMap((outer) =>
    all
      .filter((inner) => inner !== outer && isWithin(inner.real, outer.real))
      .map((inner) => [outer.name, inner.name] as const),
  );
}

/** True if a root is, or lies below, this real path: it must neither go nor move. */
export function holdsRoot(roots: Roots, real: string): boolean {
  return [...roots.values()].some((root) => isWithin(root.real, real));
}

/** The root of that name if the tool may be used on it. @throws Refusal */
export function rootFor(roots: Roots, name: string, tool: ToolName): Root {
  const root = roots.get(name);
  if (root === undefined) throw new Refusal(`unknown root: ${name}`);
  if (!root.allowed.has(tool)) throw new Refusal(`tool ${tool} not allowed on root ${name}`, 'violation');
  return root;
}
