import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The commands that the lock file tells an install to link: workspace, name and target. */
function commands(): readonly (readonly [string, string, string])[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { bin?: Record<string, string> }>;
  };
  return Object.entries(lock.packages)
    .filter(([place]) => place !== '' && !place.startsWith('node_modules/'))
    .flatMap(([place, { bin = {} }]) => Object.entries(bin).map(([name, target]) => [place, name, target] as const));
}

test('the commands of the platform are among them', () => {
  expect(commands().map(([, name]) => name)).toContain('stopgo');
});

// An install skips a link whose target is not there yet, and then `npx stopgo` asks a registry for a package of that name.
test.each(commands())('%s: the command %s can be linked before anything is built', (place, name, target) => {
  const file = join(root, place, target);
  expect(existsSync(file), file).toBe(true);
  expect(target).not.toContain('dist');
  expect(statSync(file).mode & 0o111).toBe(0o111);
  const { bin } = JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  expect(bin[name]).toBe(`./${target}`);
});
