import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../promises/bundle.ts';
import { sourceMutants } from './source-mutants.ts';

test.each(Object.entries(sourceMutants))('%s is still an edit of the source', (_, { edits }) => {
  for (const { file, from } of edits) expect(readFileSync(join(repository, file), 'utf8').split(from)).toHaveLength(2);
});
