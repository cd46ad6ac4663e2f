import type { FileHandle } from 'node:fs/promises';
import { optionalFlag, optionalInteger, optionalText, text } from '../arguments.ts';
import { contextLinesMax, lineTestStepsMax, shownLineLengthMax } from '../bounds.ts';
import { type Call, find, subjectOf, type Tool } from '../call.ts';
import { globTest, regexTest } from '../glob-pattern.ts';
import { type Line, linesOf } from '../lines.ts';
import type { Place } from '../lookup.ts';
import { attempt, Refusal, systemCode } from '../refusal.ts';
import { Search } from '../search.ts';
import { walkTree } from '../tree-walk.ts';
import { isBinary } from './read.ts';

interface Match {
  readonly file: string;
  readonly line_number: number;
  readonly line_content: string;
  readonly context_before?: readonly string[];
  readonly context_after?: readonly string[];
}

/** What is looked for in each file. */
interface Wanted {
  readonly test: (line: string) => boolean;
  /** Longest part of a line that is tested, in UTF-16 code units. */
  readonly tested: number;
  readonly context: number;
  /** Lines of which only the beginning was tested. */
  cut: number;
}

export const grep: Tool = async (call) => {
  const { given } = call;
  const subject = subjectOf(call, 'grep', { emptyPath: 'may be absent' });
  const compiled = regexTest(text(given, 'pattern'), 'pattern', optionalFlag(given, 'case_insensitive'));
  const filter = optionalText(given, 'glob_filter') ?? '';
  const isMeant = filter === '' ? () => true : globTest(filter);
  const context = optionalInteger(given, 'context_lines', { min: 0, max: contextLinesMax }) ?? 0;
  const tested = Math.floor(lineTestStepsMax / compiled.size);
  const wanted: Wanted = { test: compiled.test, tested, context, cut: 0 };
  const search = new Search<Match>(call);
  const found = await find(call, subject);
  if (found.kind !== 'folder' && found.kind !== 'file') throw new Refusal(`path not found: ${subject.path}`);
  return attempt('cannot search', subject.path, async () => {
    if (found.kind === 'file') await searchFile(call, search, wanted, found.place, found.place.name);
    else {
      for await (const entry of walkTree(search.walk, found.folder)) {
        if (search.isOver()) break;
        // Links are left out: what they lead to is searched where it lies, if it lies in here.
        if (entry.type !== 'file' || !entry.regular || !isMeant(entry.path)) continue;
        await searchFile(call, search, wanted, entry.place, entry.path);
      }
    }
    return { ...search.answer(), ...(wanted.cut > 0 ? { lines_cut: wanted.cut } : {}) };
  });
};

async function searchFile(
  call: Call,
  search: Search<Match>,
  wanted: Wanted,
  place: Place,
  path: string,
): Promise<void> {
  const file = await openIfReadable(call, place, path);
  if (file === undefined) return;
  try {
    if (!(await isBinary(file))) await searchLines(file, search, wanted, path);
  } finally {
    await file.close();
  }
}

/** A match waits until the lines after it have been read. */
interface Waiting {
  readonly match: Match;
  readonly after: string[];
}

async function searchLines(file: FileHandle, search: Search<Match>, wanted: Wanted, path: string): Promise<void> {
  const { context } = wanted;
  const before: string[] = [];
  const waiting: Waiting[] = [];
  const settle = (enough: number): void => {
    while (waiting[0] !== undefined && waiting[0].after.length >= enough && !search.isOver()) {
      const { match, after } = waiting.shift() ?? waiting[0];
      search.add(after.length === 0 ? match : { ...match, context_after: after });
    }
  };
  let number = 0;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      number += 1;
      const content = line.text.slice(0, shownLineLengthMax);
      for (const { after } of waiting) if (after.length < context) after.push(content);
      settle(context);
      if (search.isOver()) return;
      if (matches(wanted, line)) {
        const context_before = before.length === 0 ? {} : { context_before: [...before] };
        waiting.push({
          match: { file: path, line_number: number, line_content: content, ...context_before },
          after: [],
        });
        if (context === 0) settle(0);
      }
      if (context > 0) before.push(content);
      if (before.length > context) before.shift();
    }
  }
  settle(0);
}

function matches(wanted: Wanted, { text: line, cut }: Line): boolean {
  if (cut || line.length > wanted.tested) wanted.cut += 1;
  return wanted.test(line.length > wanted.tested ? line.slice(0, wanted.tested) : line);
}

/** What may not be read, or is gone by now, has no matches. */
async function openIfReadable(
  { folders }: Call,
  { folder, name }: Place,
  path: string,
): Promise<FileHandle | undefined> {
  try {
    return await folders.openFile(folder, name, path);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (thrown instanceof Refusal) return undefined;
    if (code === undefined || code === 'EMFILE' || code === 'ENFILE') throw thrown;
    return undefined;
  }
}
