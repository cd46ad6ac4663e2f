// Unified diffs. Lines are compared exactly and only where the patch says: a patch that has to be guessed is not applied.
import { Refusal } from './refusal.ts';

export interface HunkLine {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly text: string;
}

export interface Hunk {
  /** 1-based line of the old file; with no old lines, the line after which the new ones go. */
  readonly oldStart: number;
  readonly lines: readonly HunkLine[];
}

const hunkHeader = /^@@\s+-(\d{1,9})(?:,(\d{1,9}))?\s+\+\d{1,9}(?:,(\d{1,9}))?\s+@@/u;
/** What ends a patch that was sent by mail. */
const mailSignature = '-- ';
const marks: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'keep', '-': 'remove', '+': 'add' };

/** The hunks of a patch to one file. @throws Refusal when there are none, or the patch is for more than one file. */
export function parsePatch(patch: string): readonly Hunk[] {
  const hunks: OpenHunk[] = [];
  const lines = patch.replace(/\n$/u, '').split('\n');
  for (const [index, line] of lines.entries()) {
    const header = hunkHeader.exec(line);
    const current = hunks.at(-1);
    if (header !== null) hunks.push(openHunk(header));
    else if (current === undefined || line.startsWith('\\')) continue;
    else if (line === mailSignature) break;
    else if (isComplete(current)) {
      if (line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true) {
        throw new Refusal('parse patch: the patch is for more than one file');
      }
      // A hunk whose header counts too few lines goes on; what else follows (nothing, `diff`, `index`) is not of it.
      if (line !== '' && line[0] !== undefined && line[0] in marks) take(current, line);
    } else take(current, line);
  }
  if (hunks.length === 0) throw new Refusal('parse patch: no hunks found in patch');
  return hunks;
}

interface OpenHunk extends Hunk {
  readonly lines: HunkLine[];
  oldLeft: number;
  newLeft: number;
}

function openHunk([, start, oldCount = '1', newCount = '1']: RegExpExecArray): OpenHunk {
  return { oldStart: Number(start), lines: [], oldLeft: Number(oldCount), newLeft: Number(newCount) };
}

function isComplete({ oldLeft, newLeft }: OpenHunk): boolean {
  return oldLeft <= 0 && newLeft <= 0;
}

/** An unmarked line is one to keep: some write an empty one without its space. */
function take(hunk: OpenHunk, line: string): void {
  const kind = marks[line[0] ?? ''];
  hunk.lines.push({ kind: kind ?? 'keep', text: kind === undefined ? line : line.slice(1) });
  if (kind !== 'add') hunk.oldLeft -= 1;
  if (kind !== 'remove') hunk.newLeft -= 1;
}

/** The text with all hunks applied, ending in a newline unless nothing is left. @throws Refusal for the first that does not match. */
export function applyPatch(original: string, hunks: readonly Hunk[], show: (line: string) => string = String): string {
  const old = original === '' ? [] : original.replace(/\n$/u, '').split('\n');
  const result: string[] = [];
  let done = 0;
  for (const [index, { oldStart, lines }] of hunks.entries()) {
    const hasOld = lines.some(({ kind }) => kind !== 'add');
    const start = hasOld ? Math.max(oldStart - 1, 0) : oldStart;
    const mismatch = (at: number, expected: string): Refusal => {
      const line = old[at];
      const got = at < done || line === undefined ? '<EOF>' : show(line);
      const quoted = `expected ${JSON.stringify(show(expected))}, got ${JSON.stringify(got)}`;
      return new Refusal(`patch failed: hunk ${index + 1} does not match at line ${at + 1} (${quoted})`);
    };
    if (start < done || start > old.length) throw mismatch(start, lines[0]?.text ?? '');
    while (done < start) result.push(old[done++] ?? '');
    for (const { kind, text } of lines) {
      if (kind === 'add') result.push(text);
      else if (done >= old.length || old[done] !== text) throw mismatch(done, text);
      else {
        if (kind === 'keep') result.push(text);
        done += 1;
      }
    }
  }
  while (done < old.length) result.push(old[done++] ?? '');
  return result.length === 0 ? '' : `${result.join('\n')}\n`;
}
