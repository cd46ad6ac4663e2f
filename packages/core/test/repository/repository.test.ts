import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkNewRepository,
  checkSyncInterval,
  decodeRecorded,
  emptyRepositoryList,
  encodeFact,
  type FactName,
  requireListed,
} from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { fromBase64 } from '../golden/lines.ts';
import { Folds, toldOfRepositories } from './story.ts';

const lines = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { envelope: string; state: unknown });
const recorded = lines.map(({ envelope }) => decodeRecorded({ envelope: fromBase64(envelope) }));

test('recorded streams of a repository and of the list of them still give what they gave', () => {
  const folds = new Folds();
  for (const [index, event] of recorded.entries())
    expect(JSON.parse(JSON.stringify(folds.add(event))), `event ${index + 1}`).toEqual(lines[index]?.state);
  const kinds = facts.PayloadSchema.oneofs[0]?.fields.map((field) => field.localName) ?? [];
  const seen = new Set<FactName>(recorded.map(({ fact }) => fact.case));
  expect(kinds.filter((kind) => /^repository[A-Z]/.test(kind) && !seen.has(kind as FactName))).toEqual([]);
});

test('what is read is what was stored: decoding and encoding an event again gives its bytes', () => {
  for (const [index, { fact }] of recorded.entries()) {
    const bytes = encodeFact(fact);
    const { envelope } = lines[index] as { envelope: string };
    expect(Buffer.from(fromBase64(envelope)).includes(Buffer.from(bytes)), fact.case).toBe(true);
  }
});

test('of a repository that was removed nothing is left, and it can begin anew', () => {
  const folds = new Folds();
  const told = toldOfRepositories().filter(({ fact }) => !/isted$/.test(fact.case));
  for (const event of told.slice(0, -1)) folds.add(event);
  expect([...folds.repository.files.keys()]).toEqual(['support/prompt.md']);
  folds.add(told.at(-1) as (typeof told)[number]);
  expect(folds.repository).toMatchObject({ commit: '', syncedAt: 0, files: new Map() });
});

test('names of repositories are checked, and those of the configuration are left alone', () => {
  const folds = new Folds();
  for (const event of toldOfRepositories()) folds.add(event);
  const { list } = folds;
  const configured = new Set(['main']);
  for (const name of ['', '1st', 'a/b', '../a', 'a b', 'a'.repeat(65)])
    expect(() => checkNewRepository(list, name, configured), name).toThrow('name must be a letter');
  expect(() => checkNewRepository(list, 'main', configured)).toThrow('the configuration has a repository main');
  expect(() => checkNewRepository(list, 'agents', configured)).toThrow('there is a repository agents');
  checkNewRepository(list, 'other', configured);
  const many = new Set(Array.from({ length: 200 }, (_, index) => `r${index}`));
  expect(() => checkNewRepository(emptyRepositoryList, 'other', many)).toThrow('there are 200 repositories');
  expect(() => requireListed(list, 'main', configured)).toThrow('change it there, and restart');
  expect(() => requireListed(list, 'other', configured)).toThrow('there is no repository other');
  expect(requireListed(list, 'agents', configured)).toMatchObject({ isActive: false, authType: 'ssh-key' });
  expect(() => checkSyncInterval(999)).toThrow('from 1s to 24h');
  expect(() => checkSyncInterval(86_400_001)).toThrow('from 1s to 24h');
  checkSyncInterval(1_000);
});
