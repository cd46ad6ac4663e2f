import { type CallOutcome, type RawArguments, reasonOf, refuseUnknown } from '@stopgo/tool-server';
import { callsMax } from './bounds.ts';
import type { Surroundings, Tool } from './call.ts';
import { OpenFolders } from './folder.ts';
import type { Log } from './log.ts';
import { Refusal, reasonWithoutPath, systemCode } from './refusal.ts';
import { tools } from './tool-definitions.ts';
import type { ToolName } from './tool-names.ts';
import { copy } from './tools/copy.ts';
import { createFolder, removeFile, removeFolder } from './tools/folders.ts';
import { glob } from './tools/glob.ts';
import { grep } from './tools/grep.ts';
import { hashFile, permissionsFile, statFile } from './tools/inspect.ts';
import { listFolder, listRoots } from './tools/list.ts';
import { move } from './tools/move.ts';
import { readFile } from './tools/read.ts';
import { patchFile, writeFile } from './tools/write.ts';

const byName: Readonly<Record<ToolName, Tool>> = {
  list_roots: listRoots,
  list_folder: listFolder,
  read_file: readFile,
  write_file: writeFile,
  remove_file: removeFile,
  patch_file: patchFile,
  create_folder: createFolder,
  remove_folder: removeFolder,
  stat_file: statFile,
  hash_file: hashFile,
  permissions_file: permissionsFile,
  copy,
  move,
  grep,
  glob,
};

export type ExecuteCall = (tool: ToolName, given: RawArguments, signal: AbortSignal) => Promise<CallOutcome>;

/**
 * Executes calls, any number at a time up to {@link callsMax}, and logs each when it is over. Never rejects. Each call gets
 * folders of its own to open.
 */
export function createCalls(surroundings: Surroundings, log: Log, openFolders = () => new OpenFolders()): ExecuteCall {
  let running = 0;

  async function run(tool: ToolName, given: RawArguments, signal: AbortSignal): Promise<object> {
    if (running >= callsMax) throw new Refusal(`${callsMax} calls are running; try again when some have ended`);
    const unknown = refuseUnknown(tool, given, knownArguments(tool));
    if (unknown !== undefined) throw new Refusal(unknown);
    const folders = openFolders();
    running += 1;
    try {
      return await byName[tool]({ ...surroundings, given, folders, signal });
    } finally {
      running -= 1;
      await folders.closeAll();
    }
  }

  return async (tool, given, signal) => {
    const begun = surroundings.monotonicMs();
    let outcome: CallOutcome;
    let marks: { readonly level: 'INFO' | 'WARN' | 'ERROR'; readonly msg: string; readonly error?: string };
    try {
      outcome = { text: JSON.stringify(await run(tool, given, signal)), isError: false };
      marks = { level: 'INFO', msg: 'tool call' };
    } catch (thrown) {
      const failed = failure(tool, thrown, signal);
      outcome = { text: failed.text, isError: true };
      marks = { level: failed.level, msg: failed.msg, error: failed.logged ?? failed.text };
    }
    const { level, msg, error } = marks;
    const duration = Math.round((surroundings.monotonicMs() - begun) * 1_000) / 1_000;
    const size = Buffer.byteLength(outcome.text);
    log({ level, msg, tool, ...subjects(given), duration, size, ...(error === undefined ? {} : { error }) });
    return outcome;
  };
}

interface Failure {
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly msg: string;
  readonly text: string;
  /** Absent: the text. */
  readonly logged?: string;
}

function failure(tool: ToolName, thrown: unknown, signal: AbortSignal): Failure {
  if (thrown instanceof Refusal) {
    const isViolation = thrown.kind === 'violation';
    return {
      level: isViolation ? 'WARN' : 'INFO',
      msg: isViolation ? 'violation refused' : 'tool call failed',
      text: thrown.message,
    };
  }
  if (signal.aborted) return { level: 'INFO', msg: 'tool call canceled', text: `${tool} was canceled` };
  const text = `${tool} failed: ${reasonWithoutPath(thrown)}`;
  // A message of the system names paths of the host, one of ours does not.
  const logged = systemCode(thrown) === undefined ? reasonOf(thrown) : text;
  return { level: 'ERROR', msg: 'tool call failed', text, logged };
}

function knownArguments(tool: ToolName): readonly string[] {
  return Object.keys(tools.find(({ name }) => name === tool)?.inputSchema.properties ?? {});
}

/** What the log says of the arguments: roots and paths as the caller gave them, no contents. */
function subjects(given: RawArguments): Record<string, unknown> {
  const { root = given.source_root, path = given.source_path, dest_root, dest_path } = given;
  return { root, path, ...(dest_root === undefined ? {} : { dest_root, dest_path }) };
}
