import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded, evolveConnection, noConnection } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { fromBase64 } from '../golden/lines.ts';
import { AccountFold, toldOfAccounts } from './story.ts';

const lines = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { envelope: string; state: unknown });
const recorded = lines.map(({ envelope }) => decodeRecorded({ envelope: fromBase64(envelope) }));

test('the recorded stream of an account still gives what it gave', () => {
  const fold = new AccountFold();
  for (const [index, event] of recorded.entries())
    expect(JSON.parse(JSON.stringify(fold.add(event))), `event ${index + 1}`).toEqual(lines[index]?.state);
  const kinds = facts.PayloadSchema.oneofs[0]?.fields.map((field) => field.localName) ?? [];
  const seen = new Set<string>(recorded.map(({ fact }) => fact.case));
  expect(kinds.filter((kind) => /^(account|tokens?)[A-Z]/.test(kind) && !seen.has(kind))).toEqual([]);
});

test('the latest event alone gives what all of them give', () => {
  const fold = new AccountFold();
  for (const event of toldOfAccounts()) {
    fold.add(event);
    expect(evolveConnection(noConnection, event)).toEqual(fold.connection);
  }
});
