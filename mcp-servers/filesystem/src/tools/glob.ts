import { lstat } from 'node:fs/promises';
import { optionalChoice, optionalText } from '../arguments.ts';
import { type Call, find, subjectOf, type Tool } from '../call.ts';
import { globTest, type PathTest, regexTest } from '../glob-pattern.ts';
import { attempt, Refusal } from '../refusal.ts';
import { Search } from '../search.ts';
import { rfc3339 } from '../times.ts';
import { type EntryType, walkTree } from '../tree-walk.ts';

const types = ['file', 'directory', 'symlink', 'all'] as const;

interface Match {
  readonly path: string;
  readonly type: EntryType;
  readonly size: number;
  readonly modified_at: string;
}

export const glob: Tool = async (call) => {
  const subject = subjectOf(call, 'glob', { emptyPath: 'may be absent' });
  const isMeant = pathTest(call);
  const otherwise = (type: string) => `invalid type_filter: ${type}; valid types: ${types.join(', ')}`;
  const type = optionalChoice(call.given, 'type_filter', types, otherwise) ?? 'all';
  const search = new Search<Match>(call);
  const found = await find(call, subject);
  if (found.kind === 'file') throw new Refusal(`path is not a directory: ${subject.path}`);
  if (found.kind !== 'folder') throw new Refusal(`path not found: ${subject.path}`);
  return attempt('cannot search', subject.path, async () => {
    for await (const entry of walkTree(search.walk, found.folder)) {
      if (search.isOver()) break;
      if ((type !== 'all' && entry.type !== type) || !isMeant(entry.path)) continue;
      const { folder, name } = entry.place;
      const stats = await lstat(call.folders.at(folder, name)).catch(() => undefined);
      if (stats === undefined) continue; // gone by now
      search.add({ path: entry.path, type: entry.type, size: stats.size, modified_at: rfc3339(stats.mtimeMs) });
    }
    const answer = search.answer();
    answer.matches.sort((one, other) => (one.path < other.path ? -1 : 1));
    return answer;
  });
};

function pathTest({ given }: Call): PathTest {
  const pattern = optionalText(given, 'pattern') ?? '';
  const regex = optionalText(given, 'regex') ?? '';
  if ((pattern === '') === (regex === '')) throw new Refusal('exactly one of pattern or regex must be provided');
  return pattern === '' ? regexTest(regex, 'regex').test : globTest(pattern);
}
