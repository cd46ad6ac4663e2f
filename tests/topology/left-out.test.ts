import { describe, expect, test } from 'vitest';
import { leftOutFiles, leftOutTests } from '../compose/left-out.ts';
import { type Repository, readRepository, withFile } from './repository.ts';

/** What the composition leaves out, of tests/e2e (tests/compose/left-out.ts). Only `npm run test:compose` would see it otherwise. */
const repository = readRepository();
const textOf = (of: Repository, file: string) => of.get(`tests/e2e/${file}`);

function missingFiles(of: Repository): string[] {
  return [...Object.keys(leftOutFiles), ...Object.keys(leftOutTests)].filter((file) => textOf(of, file) === undefined);
}

/** Tests that are named and not there, as after a change of their titles: they would run on the composition, and fail. */
function missingTests(of: Repository): string[] {
  return Object.entries(leftOutTests).flatMap(([file, named]) =>
    Object.keys(named).filter((title) => !textOf(of, file)?.includes(`'${title}'`)),
  );
}

/** Tests of a file that is left out as a whole. */
function namedTwice(): string[] {
  return Object.keys(leftOutTests).filter((file) => leftOutFiles[file] !== undefined);
}

/** Titles are left out in every file that runs: another test of the same title would be lost there. */
function lostByTitle(of: Repository): string[] {
  const titles = Object.entries(leftOutTests).flatMap(([file, named]) =>
    Object.keys(named).map((title) => [file, title] as const),
  );
  return [...of]
    .filter(([path]) => /^tests\/e2e\/[^/]+\.test\.ts$/.test(path))
    .map(([path, text]) => [path.slice('tests/e2e/'.length), text] as const)
    .filter(([file]) => leftOutFiles[file] === undefined)
    .flatMap(([file, text]) =>
      titles
        .filter(([owner, title]) => owner !== file && text.includes(`'${title}'`))
        .map(([, title]) => `${file}: ${title}`),
    );
}

const rules = { missingFiles, missingTests, namedTwice, lostByTitle };

describe.each(Object.entries(rules))('%s', (_, rule) => {
  test('finds nothing', () => {
    expect(rule(repository)).toEqual([]);
  });
});

describe('each rule sees its mutant', () => {
  const [[file = '', named = {}] = []] = Object.entries(leftOutTests);
  const [title = ''] = Object.keys(named);
  const path = `tests/e2e/${file}`;
  const text = repository.get(path) ?? '';

  test('a file that has gone', () => {
    const without = new Map([...repository].filter(([one]) => one !== path));
    expect(missingFiles(without)).toEqual([file]);
  });

  test('a test that is called otherwise now', () => {
    const renamed = withFile(repository, path, text.replace(title, 'another title'));
    expect(missingTests(renamed)).toEqual([title]);
  });

  test('a test of the same title in a file that runs', () => {
    const more = withFile(repository, 'tests/e2e/new.test.ts', `test('${title}', () => {});`);
    expect(lostByTitle(more)).toEqual([`new.test.ts: ${title}`]);
  });
});
