import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, packageOf, type Repository, readRepository, withFile } from './repository.ts';

/** What the store is for the one process, which has no NATS and should not carry its client. */
const store = 'services/store/src/index.ts';
const repository = readRepository();

/** Packages of NATS that are loaded with a file of the store. */
function natsOf(of: Repository): readonly string[] {
  const files = [store];
  const packages = new Set<string>();
  for (const file of files)
    for (const specifier of importsOf(of.get(file) ?? '')) {
      const target = posix.join(posix.dirname(file), specifier);
      if (!specifier.startsWith('.')) packages.add(packageOf(specifier) ?? specifier);
      else if (!files.includes(target)) files.push(target);
    }
  return [...packages].filter((name) => name.startsWith('@nats-io/'));
}

test('the store of the one process loads nothing of NATS', () => {
  expect(natsOf(repository)).toEqual([]);
});

test('an import of the store on NATS would be noticed', () => {
  const text = `${repository.get(store)}export { startStoreOnNats } from './start-on-nats.ts';\n`;
  expect(natsOf(withFile(repository, store, text))).not.toEqual([]);
});
