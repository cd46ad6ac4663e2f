import { expect, test } from 'vitest';
import { mirrorName } from '../src/start.ts';

test('a repository at another address, or of a name in other case, has a mirror of its own', () => {
  const at = (name: string, gitUrl: string) => mirrorName({ name, gitUrl }).toLowerCase();
  const [one, two] = ['https://example.org/one.git', 'https://example.org/two.git'] as const;
  expect(at('team', one)).toMatch(/^team-[0-9a-f]{12}\.git$/u);
  expect(at('team', one)).toBe(at('team', one));
  expect(new Set([at('team', one), at('Team', one), at('team', two)]).size).toBe(3);
});
