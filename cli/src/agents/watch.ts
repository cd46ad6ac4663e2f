import { realpathSync, watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listIn, objectIn } from '../decide/answered.ts';
import { askGateway } from '../decide/gateway.ts';
import { GatewayError } from '../decide/gateway-error.ts';
import { counted, oneLine, shownName } from '../shown.ts';
import { namedRoot } from './working-tree.ts';

/** Editors write a file in several steps. */
const quietMs = 150;
const shownDigits = 21;

type Repository = {
  readonly name: string;
  readonly git_url: string;
  readonly branch: string;
  /** Absent: the platform is too old to say. */
  readonly worktree?: boolean;
  readonly last_sync_commit: string | null;
  readonly agent_count: number;
  readonly sync_errors: readonly {
    readonly file_path: string;
    readonly line: number | null;
    readonly column: number | null;
    readonly message: string;
  }[];
};

/**
 * `stopgo agents watch`: has a platform take up each edit in a folder that one of its repositories is, and prints what came of it. Ends when the
 * signal aborts.
 *
 * @throws Error if none of them is.
 */
export async function watchAgents(
  url: string,
  folder: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const root = namedRoot(folder);
  const all = listIn<Repository>(url, await askGateway(url, '/repositories'), 'repositories');
  const repository = all.find((one) => folderOf(one.git_url) === root);
  if (repository === undefined)
    throw new Error(
      `none of the platform's repositories is ${oneLine(root)}; add it to agent_repositories with git_url, and worktree: true`,
    );
  if (repository.worktree === false)
    print(
      oneLine(
        `note: edits of ${shownName(repository.name)} are taken up once they are committed to ${shownName(repository.branch)}; to have them taken up at once, set worktree: true for it in agent_repositories and restart the platform`,
      ),
    );
  const path = `/repositories/${encodeURIComponent(repository.name)}/sync`;
  let isAsked = true;
  let wake: () => void = () => undefined;
  const ask = (): void => {
    isAsked = true;
    wake();
  };
  const watcher = watch(root, { recursive: true, signal }, (_event, name) => {
    if (name === null || !/(?:^|[\\/])\.git(?:[\\/]|$)/u.test(name)) ask();
  });
  watcher.on('error', () => wake());
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    if (!isAsked) await new Promise<void>((resolve) => (wake = resolve));
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    isAsked = false;
    try {
      const synced = objectIn<Repository>(url, await askGateway(url, path, { body: {}, signal }), 'repository');
      printSynced(synced, print);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof GatewayError)) throw error;
      print(oneLine(error.message));
    }
  }
}

function printSynced(
  { name, last_sync_commit: commit, agent_count: agents, sync_errors: errors }: Repository,
  print: (line: string) => void,
): void {
  const at = (commit ?? '').slice(0, shownDigits);
  print(oneLine(`${shownName(name)} at ${at}: ${counted(agents, 'agent')}, ${counted(errors.length, 'problem')}`));
  for (const { file_path: path, line, column, message } of errors)
    print(oneLine(`${path}:${line ?? 1}:${column ?? 1}: ${message}`));
}

/** The folder that an address names, links resolved; undefined if it names none that is here. */
function folderOf(address: string): string | undefined {
  try {
    return realpathSync(address.startsWith('file:') ? fileURLToPath(address) : address);
  } catch {
    return undefined;
  }
}
