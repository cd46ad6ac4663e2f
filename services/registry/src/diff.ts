import { failedPrecondition } from '@stopgo/core';
import type { KeptRepository } from './kept-repository.ts';
import { type FileAt, fileAt, findAgent, noneAt } from './lookup.ts';

/** What differs in the file of an agent. `from` is absent if the agent was not there before. */
export type AgentDiff = { readonly from?: FileAt; readonly to: FileAt; readonly patch: string };

/**
 * What differs from one commit, branch or tag to another. Without `to` it is the commit that was synced last; without `from` the one before
 * the latest that changed the agent.
 *
 * @throws DomainError `not_found`, `failed_precondition` for a file that is larger than is read; GitFailure
 */
export async function diffAgent(
  repositories: readonly KeptRepository[],
  { name, from, to }: { readonly name: string; readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<AgentDiff> {
  const after = await fileAt(repositories, name, to === '' ? latest(repositories, name) : to, signal);
  // Commits are of one repository: the other one is looked for there alone.
  const before = await fileBefore(after, name, from, signal);
  if (before === undefined) return { to: after, patch: addition(await contentOf(after, signal)) };
  await contentOf(before, signal);
  await contentOf(after, signal);
  const isSame = before.object === after.object;
  const patch = isSame ? '' : await after.repository.mirror.patch(before.object, after.object, signal);
  return { from: before, to: after, patch };
}

function latest(repositories: readonly KeptRepository[], name: string): string {
  const found = findAgent(repositories, name);
  if (found === undefined) throw noneAt(name, 'the commit that was synced last', []);
  return found.repository.revision || found.agent.commit;
}

async function fileBefore(
  { repository, commit, path }: FileAt,
  name: string,
  from: string,
  signal: AbortSignal,
): Promise<FileAt | undefined> {
  if (from !== '') return fileAt([repository], name, from, signal);
  const [, before] = await repository.mirror.history(commit, [path], 2, signal);
  return before === undefined ? undefined : fileAt([repository], name, before.hash, signal);
}

async function contentOf({ repository, object, path, commit }: FileAt, signal: AbortSignal): Promise<string> {
  for await (const [, blob] of repository.mirror.contents([object], signal))
    if (blob.kind === 'content') return blob.bytes.toString('utf8');
  throw failedPrecondition(`${path} at ${commit} is larger than is read of an agent file`);
}

/** A file of which all is new, as a unified diff shows it. */
function addition(text: string): string {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const shown = lines.map((line) => `+${line}\n`).join('');
  const end = isEnded ? '' : '\\ No newline at end of file\n';
  return lines.length === 0 ? '' : `@@ -0,0 +1,${lines.length} @@\n${shown}${end}`;
}
