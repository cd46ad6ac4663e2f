import { lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Folder, kernelAnchors, OpenFolders } from '../src/folder.ts';
import { listedTools, type ToolName } from '../src/tool-names.ts';
import { anyCall, callAndCheck, drawingOf, grow, makeOutside, outsideOf, tree } from './escapes.ts';
import { sandbox } from './sandbox.ts';

/** Among the quick tests a few: `npm run test:slow` has all of them. */
const IS_QUICK = process.env.STOPGO_TESTS === 'quick';
const RUNS_OF_TREES = IS_QUICK ? 40 : 800;
const ways = kernelAnchors ? [true, false] : [false];

describe.each(ways)('names looked up in open folders by the kernel: %s', (anchored) => {
  test('nothing outside of the roots is read, written, removed or named', { timeout: 120_000 }, async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(tree, fc.array(anyCall, { minLength: 1, maxLength: 8 }), async (made, calls) => {
        const roots = { inside: ['*'], other: ['*'] };
        const box = sandbox({ roots, inMemory: true, openFolders: () => new OpenFolders(anchored) });
        try {
          makeOutside(box);
          grow(box, made);
          const outside = outsideOf(box);
          for (const { tool, given } of calls) {
            const before = drawingOf(box);
            const text = await callAndCheck(box, tool, given);
            expect(outsideOf(box), `${tool} ${JSON.stringify(given)} in\n${before}`).toBe(outside);
            const outcome = `${tool} ${text.startsWith('{') ? 'done' : (/outside root|not found/u.exec(text)?.[0] ?? 'refused')}`;
            seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
          }
        } finally {
          box.remove();
        }
      }),
      { numRuns: RUNS_OF_TREES },
    );
    // The calls were not all refused, or the property would say nothing. Few runs do not meet the rarest.
    const outcomes = IS_QUICK
      ? ['write_file done']
      : listedTools.flatMap((tool) => [`${tool} done`, `${tool} outside root`]);
    expect(outcomes.filter((outcome) => !seen.has(outcome))).toEqual([]);
  });
});

/** Does something to the host right before the nth name is handed to the system. */
class DisturbedFolders extends OpenFolders {
  readonly #disturb: (nth: number) => void;
  #names = 0;

  constructor(disturb: (nth: number) => void, anchored: boolean) {
    super(anchored);
    this.#disturb = disturb;
  }

  override at(folder: Folder, name: string): string {
    this.#names += 1;
    this.#disturb(this.#names);
    return super.at(folder, name);
  }
}

/** What somebody else does to the tree meanwhile: what is really there goes aside, and a link to the outside takes its place. */
const SWAPS = {
  'a folder': ['inside/a', 'outside'],
  'a folder in a folder': ['inside/a/b', '../../outside/b'],
  'a file': ['inside/a/c', '../../outside/c'],
  'a file in both': ['inside/a/b/c', '../../../outside/b/c'],
} as const;

/** Calls that work on what is swapped. */
const at = (path: string) => ({ root: 'inside', path });
const fromTo = (source_path: string, dest_path: string) => ({
  source_root: 'inside',
  source_path,
  dest_root: 'other',
  dest_path,
});
const DISTURBED: readonly [ToolName, Record<string, unknown>][] = [
  ['list_folder', at('a')],
  ['list_folder', at('.')],
  ['read_file', at('a/c')],
  ['read_file', { ...at('a/b/c'), limit_lines: 5 }],
  ['write_file', { ...at('a/c'), content: 'written' }],
  ['write_file', { ...at('a/b/new/er'), content: 'written' }],
  ['write_file', { ...at('a/c'), content: 'written', mode: 'append' }],
  ['write_file', { ...at('a/b/d'), content: 'written', mode: 'create_only' }],
  ['remove_file', at('a/c')],
  ['remove_file', at('a/b/c')],
  ['patch_file', { ...at('a/c'), patch: '@@ -1 +1 @@\n-one\n+eins' }],
  ['create_folder', at('a/b/new/er')],
  ['remove_folder', at('a')],
  ['remove_folder', at('a/b')],
  ['stat_file', at('a/c')],
  ['hash_file', { ...at('a/b/c'), algorithm: 'md5' }],
  ['permissions_file', at('a/b')],
  ['copy', fromTo('a', 'x')],
  ['copy', fromTo('a/c', 'x/y')],
  ['copy', { source_root: 'other', source_path: 'c', dest_root: 'inside', dest_path: 'a/b/c' }],
  ['copy', { source_root: 'other', source_path: '.', dest_root: 'inside', dest_path: 'a' }],
  ['move', fromTo('a', 'x')],
  ['move', fromTo('a/b/c', 'x/y')],
  ['move', { source_root: 'other', source_path: 'c', dest_root: 'inside', dest_path: 'a/b/c' }],
  ['grep', { ...at('.'), pattern: '.' }],
  ['glob', { ...at('a'), pattern: '**' }],
];

/** Where names are looked up by their path, what is opened is compared afterwards; other calls are not safe from this there. */
const OPENS: readonly string[] = ['read_file', 'hash_file'];

describe.each(ways)('a link that comes while a call is under way (by the kernel: %s)', (anchored) => {
  const disturbed = DISTURBED.filter(([tool]) => anchored || OPENS.includes(tool));
  test.each(Object.entries(SWAPS))(
    'in the place of %s leads nowhere, whenever it comes',
    async (_, [place, target]) => {
      for (const [tool, given] of disturbed) {
        for (let nth = 1, done = false; !done; nth += 1) {
          let host = '';
          done = true;
          const swap = (names: number): void => {
            if (names !== nth) return;
            done = false;
            // It may be gone already.
            if (lstatSync(join(host, place), { throwIfNoEntry: false }) === undefined) return;
            renameSync(join(host, place), join(host, 'inside/aside'));
            symlinkSync(target, join(host, place));
          };
          const box = sandbox({
            roots: { inside: ['*'], other: ['*'] },
            inMemory: true,
            openFolders: () => new DisturbedFolders(swap, anchored),
          });
          host = box.host;
          try {
            makeOutside(box);
            mkdirSync(join(host, 'inside/a/b'), { recursive: true });
            for (const file of ['inside/a/c', 'inside/a/b/c', 'other/c']) writeFileSync(join(host, file), 'one\ntwo\n');
            symlinkSync(`../../${target.replace(/^(\.\.\/)+/u, '')}`, join(host, 'inside/a/link'));
            const outside = outsideOf(box);
            await callAndCheck(box, tool, given);
            expect(outsideOf(box), `${tool} ${JSON.stringify(given)}, disturbed at name ${nth}`).toBe(outside);
          } finally {
            box.remove();
          }
        }
      }
    },
  );
});
