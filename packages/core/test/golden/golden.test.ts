import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { chainStart, decodeRecorded, encodeFact, type FactName, schemaVersion } from '@stopgo/core';
import { envelope, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { fromBase64, type GoldenLine, replay } from './lines.ts';
import { scenarios } from './scenarios.ts';

const folder = import.meta.dirname;
const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
const linesOf = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GoldenLine);

describe('a recorded conversation still replays: chain, state and rows after each event', () => {
  test.each(files)('%s', (file) => {
    const lines = linesOf(file);
    const envelopes = lines.map((line) => fromBase64(line.envelope));
    const today = replay(envelopes, chainStart);
    expect(today).toEqual(lines.map(({ envelope: _, ...rest }) => rest));
  });
});

test('a byte changed in a recorded event breaks its hash and all later ones', () => {
  const lines = linesOf('approve.jsonl');
  const envelopes = lines.map((line) => fromBase64(line.envelope));
  const tampered = envelopes[3] as Uint8Array;
  const last = tampered.length - 1;
  // The last byte belongs to the payload's last text: still an event, but another one.
  tampered[last] = (tampered[last] ?? 0) ^ 1;
  const wrong = replay(envelopes, chainStart).flatMap((line, index) =>
    line.hash === lines[index]?.hash ? [] : [index],
  );
  expect(wrong).toEqual(lines.map((_, index) => index).slice(3));
});

test('what is read is what was stored: decoding and encoding an event again gives its bytes', () => {
  for (const file of files)
    for (const line of linesOf(file)) {
      const { fact: one, revision } = decodeRecorded({ envelope: fromBase64(line.envelope) });
      expect(fromBase64(line.envelope).slice(-encodeFact(one).length), `${file} ${revision}`).toEqual(encodeFact(one));
    }
});

test('every scenario is recorded, and every kind of event of a conversation is in one of them', () => {
  expect(files.map((file) => file.replace('.jsonl', '')).sort()).toEqual(Object.keys(scenarios).sort());
  const seen = new Set(
    files.flatMap((file) =>
      linesOf(file).map((line) => decodeRecorded({ envelope: fromBase64(line.envelope) }).fact.case),
    ),
  );
  // Definitions stand in streams of their own, and so do pins, who is told, links, people, what agents remember,
  // repositories and connected accounts (recorded in ../pins, ../push, ../people, ../memory, ../repository and ../connections).
  const isElsewhere = (kind: string) =>
    /^(agent|toolset|tool|policy)Defined$|^(toolServerMet|toolsAccepted)$|^push|^(user|apiKey|link|repository|memory|account|token|tokens)[A-Z]/.test(
      kind,
    );
  const kinds = facts.PayloadSchema.oneofs[0]?.fields.map((field) => field.localName) ?? [];
  expect(kinds.filter((kind) => !seen.has(kind as FactName) && !isElsewhere(kind))).toEqual([]);
});

describe('an event that this program cannot read is refused, by its place', () => {
  const stored = (change: { schemaVersion?: number; payload?: Uint8Array }) => ({
    envelope: toBinary(
      envelope.EnvelopeSchema,
      create(envelope.EnvelopeSchema, { stream: 'conversation-x', revision: 7, schemaVersion, ...change }),
    ),
  });

  test('of a later schema', () => {
    expect(() => decodeRecorded(stored({ schemaVersion: schemaVersion + 1 }))).toThrow(/event 7 of conversation-x has/);
  });

  test('of a kind that is not known', () => {
    expect(() => decodeRecorded(stored({ payload: new Uint8Array() }))).toThrow(/event 7 of conversation-x holds no/);
  });
});
