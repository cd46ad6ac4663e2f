import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createCalls } from '../src/calls.ts';
import type { OpenFolders } from '../src/folder.ts';
import type { LogLine } from '../src/log.ts';
import { systemOwners } from '../src/owners.ts';
import { openRoots } from '../src/roots.ts';
import type { ToolName } from '../src/tool-names.ts';

export interface Sandbox {
  /** The folder on the host that holds the roots, and what is outside of them. */
  readonly host: string;
  readonly log: readonly LogLine[];
  call(tool: ToolName, given?: Record<string, unknown>): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** The answer of a call that must succeed, parsed. */
  answer(tool: ToolName, given?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The text of a call that must fail. */
  refusal(tool: ToolName, given?: Record<string, unknown>): Promise<string>;
  remove(): void;
}

export interface SandboxOptions {
  /** Allowed tools of each root; a root is a folder of that name in the host's folder. */
  readonly roots?: Readonly<Record<string, readonly string[]>>;
  readonly fullReadBytesMax?: number;
  readonly openFolders?: () => OpenFolders;
  /** Where there is a file system in memory, the roots are there: many small tests need not wait for a disk. */
  readonly inMemory?: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds that pass with each look at the clock. */
  readonly tickMs?: number;
  /** Told of each look at the clock. */
  readonly onLook?: () => void;
}

const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Roots in a new folder, and the tools on them, without a protocol between. */
export function sandbox(options: SandboxOptions = {}): Sandbox {
  const host = realpathSync(mkdtempSync(join(options.inMemory === true ? MEMORY : tmpdir(), 'mcp-filesystem-')));
  const roots = Object.entries(options.roots ?? { work: ['*'] });
  for (const [name] of roots) mkdirSync(join(host, name), { recursive: true });
  const log: LogLine[] = [];
  let drawn = 0;
  let now = 0;
  const execute = createCalls(
    {
      roots: openRoots(roots.map(([name, allowedTools]) => ({ name, path: join(host, name), allowedTools }))),
      fullReadBytesMax: options.fullReadBytesMax ?? 1_048_576,
      owners: systemOwners(),
      monotonicMs: () => {
        now += options.tickMs ?? 0;
        options.onLook?.();
        return now;
      },
      unique: () => {
        drawn += 1;
        return String(drawn);
      },
    },
    (line) => log.push(line),
    options.openFolders,
  );
  const call: Sandbox['call'] = (tool, given = {}) =>
    execute(tool, given, options.signal ?? new AbortController().signal);
  return {
    host,
    log,
    call,
    answer: async (tool, given) => {
      const { text, isError } = await call(tool, given);
      expect(isError, text).toBe(false);
      return JSON.parse(text);
    },
    refusal: async (tool, given) => {
      const { text, isError } = await call(tool, given);
      expect(isError, text).toBe(true);
      return text;
    },
    remove: () => rmSync(host, { recursive: true, force: true }),
  };
}
