import { lstat, readdir } from 'node:fs/promises';
import { listedEntriesMax } from '../bounds.ts';
import { type Call, find, type Subject, subjectOf, type Tool } from '../call.ts';
import { lookUp, realOf } from '../lookup.ts';
import { attempt, Refusal, systemCode } from '../refusal.ts';
import { rfc3339 } from '../times.ts';
import { typeOf } from '../tree-walk.ts';

/** The roots by name. Where they lie on the host is not said. */
export const listRoots: Tool = ({ roots }) => {
  const listed = [...roots.values()].map(({ name, allowed }) => ({ name, allowed_tools: [...allowed].sort() }));
  return Promise.resolve(listed.sort((one, other) => (one.name < other.name ? -1 : 1)));
};

export const listFolder: Tool = async (call) => {
  const subject = subjectOf(call, 'list_folder', { emptyPath: 'may be empty' });
  const found = await find(call, subject);
  if (found.kind === 'file') throw new Refusal(`path is not a directory: ${subject.path}`);
  if (found.kind !== 'folder') throw new Refusal(`path not found: ${subject.path}`);
  const { folders } = call;
  return attempt('cannot list', subject.path, async () => {
    const names = (await readdir(folders.at(found.folder, '.'))).sort();
    const entries: object[] = [];
    for (const name of names.slice(0, listedEntriesMax)) {
      const stats = await lstat(folders.at(found.folder, name)).catch(() => undefined);
      if (stats === undefined) continue; // gone by now
      const type = typeOf(stats);
      const modified = rfc3339(stats.mtimeMs);
      const target = type === 'symlink' ? await targetType(call, subject, realOf({ folder: found.folder, name })) : {};
      entries.push({ name, type, size: stats.size, modified_at: modified, ...target });
    }
    const cut = names.length > listedEntriesMax ? { truncated: true } : {};
    return { entries, count: entries.length, ...cut };
  });
};

/** What a link leads to, if it leads to anything; of what lies outside nothing but that. */
async function targetType(
  { folders }: Call,
  { root }: Subject,
  real: string,
): Promise<{ readonly target_type?: string }> {
  const names = real.slice(root.real.length).split('/');
  try {
    const below = names.filter((name) => name !== '');
    const found = await folders.within(() => lookUp(folders, root, below));
    if (found.kind === 'folder') return { target_type: 'directory' };
    return found.kind === 'file' ? { target_type: 'file' } : {};
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.kind === 'violation') return { target_type: 'external' };
    if (thrown instanceof Refusal || systemCode(thrown) !== undefined) return {};
    throw thrown;
  }
}
