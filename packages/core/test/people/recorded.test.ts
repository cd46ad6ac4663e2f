import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded, type FactName, personRow } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../golden/lines.ts';

test('recorded streams of a user and of an API key still give what they gave', () => {
  const lines = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const seen = new Set<FactName>();
  const rows = new Map<string, Uint8Array>();
  for (const line of lines) {
    const { stream, envelope, row: expected } = JSON.parse(line);
    const event = decodeRecorded({ envelope: fromBase64(envelope) });
    seen.add(event.fact.case);
    const row = personRow(stream, rows.get(stream), [event]);
    rows.set(stream, row.bytes);
    expect({ ...row, bytes: toBase64(row.bytes) }).toEqual(expected);
  }
  const kinds = facts.PayloadSchema.oneofs[0]?.fields.map((field) => field.localName) ?? [];
  expect(
    kinds.filter((kind) => /^(user|apiKey)[A-Z]/.test(kind)).filter((kind) => !seen.has(kind as FactName)),
  ).toEqual(['userMessageReceived']);
});
