import { visibleLine } from '@stopgo/core';
import { pathCharactersMax } from './bounds.ts';
import { nameProblem } from './names.ts';

/** Whose keys a file has: ours, those of Claude Code, those of GitHub Copilot. */
export type AgentFormat = 'stopgo' | 'claude' | 'github';

/** The agent that a file would hold, told from its path alone. */
export type AgentPlace = {
  readonly name: string;
  readonly format: AgentFormat;
  /** Of several files of one name the one with the lowest precedence is the agent. */
  readonly precedence: number;
  /** A file that must be an agent. Of the others only those are that say so in their frontmatter: a README is none. */
  readonly isCertain: boolean;
};

/** What the path of a file says; `none`: no agent is at such a path. */
export type PathReading =
  | { readonly kind: 'agent'; readonly place: AgentPlace }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'problem';
      readonly about: 'path' | 'name';
      readonly message: string;
      /** As of a place. */
      readonly isCertain: boolean;
    };

/**
 * The agent at a path inside a repository, with `/` between folders: `{name}/prompt.md`, `{name}/agent.md`, `{name}.md`, in this order,
 * and after them `.claude/agents/{name}.md` and `.github/agents/{name}.agent.md`. What is before a `.claude` or `.github` is a part of
 * the name.
 */
export function nameOfPath(path: string): PathReading {
  if (!/\.md$/i.test(path)) return { kind: 'none' };
  const problem = pathProblem(path);
  if (problem !== undefined)
    return { kind: 'problem', about: 'path', message: problem, isCertain: /[\\/](?:prompt|agent)\.md$/.test(path) };
  const folders = path.split('/');
  const file = folders.pop() ?? '';
  if (!file.endsWith('.md')) return { kind: 'none' };
  const place = foreignPlace(folders, file) ?? ownPlace(folders, file);
  if (place === undefined) return { kind: 'none' };
  const wrong = nameProblem(place.name);
  if (wrong === undefined) return { kind: 'agent', place };
  const message = `"${visibleLine(place.name)}" cannot be the name of an agent: ${wrong}`;
  return { kind: 'problem', about: 'name', message, isCertain: place.isCertain };
}

/** The paths at which an agent of our format is looked for, in order. */
export function candidatePaths(name: string): readonly string[] {
  return [`${name}/prompt.md`, `${name}/agent.md`, `${name}.md`];
}

function pathProblem(path: string): string | undefined {
  if (path.length > pathCharactersMax) return `the path has ${path.length} characters, more than ${pathCharactersMax}`;
  if (path.includes('\\')) return 'the path holds a backslash; folders are parted by /';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'the path is absolute; it must be one inside the repository';
  if (path.split('/').some((folder) => folder === '..' || folder === '.' || folder === ''))
    return 'the path climbs, or has an empty folder; it must name each folder inside the repository';
  if (visibleLine(path) !== path)
    return `the path holds characters that nobody sees: ${visibleLine(path)}; name the file without them`;
  return undefined;
}

function ownPlace(folders: readonly string[], file: string): AgentPlace | undefined {
  // What hidden folders hold is for other programs.
  if (folders.some((folder) => folder.startsWith('.') || folder === 'node_modules')) return undefined;
  const of = (parts: readonly string[], precedence: number, isCertain: boolean): AgentPlace => ({
    ...{ name: parts.join('/'), format: 'stopgo', precedence, isCertain },
  });
  if (folders.length > 0 && file === 'prompt.md') return of(folders, 0, true);
  if (folders.length > 0 && file === 'agent.md') return of(folders, 1, true);
  return of([...folders, file.slice(0, -'.md'.length)], 2, false);
}

function foreignPlace(folders: readonly string[], file: string): AgentPlace | undefined {
  for (const format of ['claude', 'github'] as const) {
    const at = folders.indexOf(`.${format}`);
    if (at < 0 || folders[at + 1] !== 'agents') continue;
    const isAgent = format === 'github' && file.endsWith('.agent.md');
    const named = file.slice(0, -(isAgent ? '.agent.md' : '.md').length);
    const name = [...folders.slice(0, at), ...folders.slice(at + 2), named].join('/');
    const precedence = format === 'claude' ? 3 : isAgent ? 4 : 5;
    return { name, format, precedence, isCertain: isAgent };
  }
  return undefined;
}
