import type { RawArguments } from '@stopgo/tool-server';
import { optionalText, text } from './arguments.ts';
import type { OpenFolders } from './folder.ts';
import { type Found, lookUp, namesOf } from './lookup.ts';
import type { Owners } from './owners.ts';
import { attempt, Refusal } from './refusal.ts';
import { type Root, type Roots, rootFor } from './roots.ts';
import type { ListedTool } from './tool-names.ts';

/** What every call of this program works with. */
export interface Surroundings {
  readonly roots: Roots;
  /** Largest file that is read whole, in bytes. */
  readonly fullReadBytesMax: number;
  readonly owners: Owners;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Digits that no two calls get. */
  readonly unique: () => string;
}

/** One call. */
export interface Call extends Surroundings {
  readonly given: RawArguments;
  readonly folders: OpenFolders;
  readonly signal: AbortSignal;
}

/** What a tool answers, before it is JSON. */
export type Tool = (call: Call) => Promise<object>;

/** A root and a path in it that the call may use its tool on. */
export interface Subject {
  readonly root: Root;
  /** As the caller gave it. */
  readonly path: string;
  readonly names: readonly string[];
}

/** Names of the arguments that hold a subject, and whether its path may be left out or empty, for the root itself. */
export interface SubjectArguments {
  readonly root?: string;
  readonly path?: string;
  readonly emptyPath?: 'required' | 'may be empty' | 'may be absent';
}

/** Checks, in this order: root, allow list, path. @throws Refusal */
export function subjectOf(call: Call, tool: ListedTool, named: SubjectArguments = {}): Subject {
  const root = rootFor(call.roots, text(call.given, named.root ?? 'root'), tool);
  return { root, ...pathOf(call, named) };
}

function pathOf(
  { given }: Call,
  { path: name = 'path', emptyPath = 'required' }: SubjectArguments,
): Omit<Subject, 'root'> {
  const value = optionalText(given, name);
  const allowed = emptyPath === 'may be absent' || (emptyPath === 'may be empty' && value !== undefined);
  if ((value === undefined || value === '') && !allowed) throw new Refusal(`${name} is required`);
  const path = value === undefined || value === '' ? '.' : value;
  return { path, names: namesOf(path) };
}

/** Both subjects of a copy or a move, checked like one: roots and allow lists before paths. */
export function subjectsOf(
  call: Call,
  tool: 'copy' | 'move',
): { readonly source: Subject; readonly destination: Subject } {
  const sourceRoot = rootFor(call.roots, text(call.given, 'source_root'), tool);
  const destinationRoot = rootFor(call.roots, text(call.given, 'dest_root'), tool);
  return {
    source: { root: sourceRoot, ...pathOf(call, { path: 'source_path' }) },
    destination: { root: destinationRoot, ...pathOf(call, { path: 'dest_path' }) },
  };
}

/** What the subject's path leads to; see {@link lookUp}. */
export function find(call: Call, { root, path, names }: Subject, last: 'follow' | 'keep' = 'follow'): Promise<Found> {
  return attempt('cannot look up', path, () => lookUp(call.folders, root, names, last));
}
