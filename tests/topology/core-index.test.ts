import { expect, test } from 'vitest';
import { type Repository, readRepository, withFile } from './repository.ts';

const CORE = 'packages/core/';
const INDEX = `${CORE}src/index.ts`;
/** What is given away, by where it is asked for. */
const INDEXES = {
  '@stopgo/core': INDEX,
  '@stopgo/core/limits': `${CORE}src/state/limits.ts`,
  '@stopgo/core/memory': `${CORE}src/memory/index.ts`,
  '@stopgo/core/shared-data': `${CORE}src/run/shared-data.ts`,
};
const NAMES = /\{([^}]*)\}\s+from\s+'([^']+)'/g;

/** The names between braces, as the file has them that they come from. */
function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type\s+/, ''))
    .filter((one) => one !== '')
    .map((one) => one.split(/\s+as\s+/)[0] as string);
}

/** What the core's index gives away and nothing outside of the core asks for: a promise to nobody. */
function unasked(repository: Repository): string[] {
  return Object.entries(INDEXES).flatMap(([from, index]) => unaskedOf(repository, from, index));
}

function unaskedOf(repository: Repository, from: string, index: string): string[] {
  const given = [...(repository.get(index) ?? '').matchAll(NAMES)].flatMap(([, list = '']) => namesIn(list));
  const asked = new Set(
    [...repository]
      .filter(([path]) => !path.startsWith(CORE) && /\.m?ts$/.test(path))
      .flatMap(([, text]) => [...text.matchAll(NAMES)])
      .filter(([, , source]) => source === from)
      .flatMap(([, list = '']) => namesIn(list)),
  );
  return given.filter((name) => !asked.has(name));
}

test("the core's index has nothing that nobody outside uses", () => {
  const repository = readRepository();
  expect(unasked(repository)).toEqual([]);
  const more = `${repository.get(INDEX)}export { advance, type NobodyNeedsThis as Other } from './run/interpreter.ts';\n`;
  expect(unasked(withFile(repository, INDEX, more))).toEqual(['NobodyNeedsThis']);
});

test('it names each of them', () => {
  for (const index of Object.values(INDEXES)) expect(readRepository().get(index)).not.toMatch(/export \*/);
});
