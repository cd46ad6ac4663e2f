import { existsSync, readFileSync } from 'node:fs';
import { canonicalJson, type Json } from '@stopgo/core';

/** One call as the tool itself has written it down: the witness that does not depend on the platform. */
export type ToolRun = {
  readonly tool: string;
  readonly argumentsJson: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** Absent: it was cut short. */
  readonly endedAt?: number;
};

type Line = {
  readonly type: 'begin' | 'end';
  readonly time: string;
  readonly call: string;
  readonly tool: string;
  readonly arguments: Json;
};

/** The calls in some journals, in the order of their beginnings. A file that is not there holds none. */
export function readJournals(files: readonly string[]): ToolRun[] {
  return files.flatMap(readJournal).sort((one, other) => one.begunAt - other.begunAt);
}

function readJournal(file: string): ToolRun[] {
  if (!existsSync(file)) return [];
  const begun = new Map<string, ToolRun>();
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    // The last line may be cut: its writer was killed, and had not begun the call then.
    const line = parsed(text);
    if (line === undefined) continue;
    const at = Date.parse(line.time);
    const known = begun.get(line.call);
    if (line.type === 'begin' && known === undefined)
      begun.set(line.call, { tool: line.tool, argumentsJson: canonicalJson(line.arguments), begunAt: at });
    else if (line.type === 'end' && known !== undefined) begun.set(line.call, { ...known, endedAt: at });
    else throw new Error(`${file}: a line that fits no call: ${text}`);
  }
  return [...begun.values()];
}

function parsed(text: string): Line | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
