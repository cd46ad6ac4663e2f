import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded, type FactName, memoryRequestOf, memoryStream } from '@stopgo/core';
import { evolveMemories, memoryAt, noMemories, noMemoryText } from '@stopgo/core/memory';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { holdsWords } from '../../src/memory/decide-memory.ts';
import { memoryBytesMax, memoryKeysMax, memoryValueBytesMax } from '../../src/text/bounds.ts';
import { fromBase64 } from '../golden/lines.ts';
import { call, MemoryStory, start } from './story.ts';

test('a recorded memory still gives what it gave', () => {
  const lines = readFileSync(join(import.meta.dirname, 'told.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const seen = new Set<FactName>();
  let memories = noMemories;
  for (const line of lines) {
    const { envelope, memories: expected } = JSON.parse(line);
    const event = decodeRecorded({ envelope: fromBase64(envelope) });
    seen.add(event.fact.case);
    memories = evolveMemories(memories, event);
    expect({ ...memories, entries: [...memories.entries.values()] }).toEqual(expected);
  }
  const kinds = facts.PayloadSchema.oneofs[0]?.fields.map((field) => field.localName) ?? [];
  expect(kinds.filter((kind) => kind.startsWith('memory')).filter((kind) => !seen.has(kind as FactName))).toEqual([]);
});

test('each agent has a memory of its own: names are compared exactly', () => {
  const names = ['support/tier1', 'support/Tier1', 'lab/support/tier1', 'support'];
  expect(new Set(names.map(memoryStream)).size).toBe(names.length);
});

describe('a value', () => {
  test('is there under its key until another one is saved, or it is removed', () => {
    const story = new MemoryStory();
    story.saves('a', 1, call('1'));
    story.saves('a', 2, call('2'));
    expect(memoryAt(story.memories, 'a', story.now)).toMatchObject({
      ...{ valueJson: '2', createdAt: start, savedAt: start + 1_000, call: call('2'), revision: 2 },
    });
    story.saves('a', 3);
    expect(memoryAt(story.memories, 'a', story.now)).toMatchObject({ valueJson: '3', savedBy: { id: 'ada' } });
    expect(memoryAt(story.memories, 'a', story.now)?.call).toBeUndefined();
    story.removes('a');
    expect(memoryAt(story.memories, 'a', story.now)).toBeUndefined();
    expect([story.memories.bytes, story.memories.entries.size]).toEqual([0, 0]);
  });

  test('that a call saves again is saved once, also when another one has been saved since', () => {
    const story = new MemoryStory();
    story.saves('a', 1, call('1'));
    story.saves('a', 2, call('2'));
    expect(story.saves('a', 1, call('1'))).toEqual({ kind: 'known' });
    story.removes('a');
    expect(story.saves('a', 1, call('1'))).toEqual({ kind: 'known' });
    expect(story.saves('a', 1, call('1', 'another run')).kind).toBe('append');
  });

  test('is gone at its time, and leaves the state with what is written next', () => {
    const story = new MemoryStory();
    story.saves('a', 1, call('1'), start + 1_500);
    expect(memoryAt(story.memories, 'a', start + 1_499)).toBeDefined();
    expect(memoryAt(story.memories, 'a', start + 1_500)).toBeUndefined();
    expect(noMemoryText(story.memories, 'a', start + 1_500)).toBe(
      'there is no memory a any more: it expired at 2026-11-27T00:00:01.500Z; nothing is remembered',
    );
    story.saves('b', 1, call('2'));
    expect([...story.memories.entries.keys()]).toEqual(['a', 'b']);
    story.saves('c', 1, call('3'));
    expect([...story.memories.entries.keys()]).toEqual(['b', 'c']);
    expect(story.memories.bytes).toBe(4);
  });

  test('cannot expire before it is saved', () => {
    expect(new MemoryStory().saves('a', 1, call('1'), start)).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/^it would expire at 2026-11-27T00:00:00Z, and it is /),
    });
  });
});

describe('what an agent remembers is bounded', () => {
  test('a value', () => {
    const story = new MemoryStory();
    expect(story.saves('a', 'x'.repeat(memoryValueBytesMax - 2)).kind).toBe('append');
    expect(story.saves('a', 'x'.repeat(memoryValueBytesMax - 1)).kind).toBe('refused');
  });

  test('keys, of which one that has expired takes no place', () => {
    const story = new MemoryStory();
    story.saves('short', 1, undefined, start + 1_500);
    for (let n = 1; n < memoryKeysMax; n += 1) story.saves(`key ${n}`, n);
    expect(story.saves('one', 1).kind).toBe('append');
    expect(story.saves('more', 1)).toMatchObject({ kind: 'refused', why: expect.stringMatching(/^1000 keys/) });
    expect(story.saves('key 7', 8).kind).toBe('append');
  });

  test('all values together', () => {
    const story = new MemoryStory();
    const value = 'x'.repeat(memoryValueBytesMax - 10);
    for (let n = 0; n < memoryBytesMax / memoryValueBytesMax; n += 1) story.saves(`k${n}`, value);
    expect(story.saves('more', 'x'.repeat(100))).toMatchObject({ kind: 'refused', why: expect.stringMatching(/^all/) });
    expect(story.saves('k1', 1).kind).toBe('append');
    expect(story.saves('more', 'x'.repeat(100)).kind).toBe('append');
  });
});

test('who asks for what is not there is told what is, as far as that is short', () => {
  const story = new MemoryStory();
  expect(noMemoryText(story.memories, 'x', start)).toBe('there is no memory x; nothing is remembered');
  for (let n = 0; n < 22; n += 1) story.saves(`k${n}`, n);
  expect(noMemoryText(story.memories, 'the x', start)).toMatch(
    /^there is no memory "the x"; there are k0, k1, .*k19 and 2 more$/,
  );
});

test('words are looked for in keys, and in whatever can be read in values', () => {
  const story = new MemoryStory();
  story.saves('order 7', { Customer: ['Ada', { total: 42.5, paid: true }] });
  const [memory] = story.memories.entries.values();
  if (memory === undefined) throw new Error('nothing was saved');
  for (const words of [[], ['ORDER'], ['ada', '42.5'], ['customer', 'true', '7']])
    expect(holdsWords(memory, words), String(words)).toBe(true);
  for (const words of [['bob'], ['ada', 'bob'], ['{']]) expect(holdsWords(memory, words), String(words)).toBe(false);
});

describe('arguments of the tools', () => {
  test('hold a value of any type, whatever the schema says', () => {
    for (const value of [{ a: 1 }, [1], 'text', 7, true, null])
      expect(memoryRequestOf('save_memory', JSON.stringify({ key: 'k', value }))).toEqual({
        ...{ type: 'save', key: 'k', valueJson: JSON.stringify(value) },
      });
    expect(memoryRequestOf('save_memory', '{"key":"k","value":1,"expiresAt":"2026-11-27T01:00:00+01:00"}')).toEqual({
      ...{ type: 'save', key: 'k', valueJson: '1', expiresAt: start },
    });
    expect(memoryRequestOf('load_memory', '{"key":"k"}')).toEqual({ type: 'load', key: 'k' });
  });

  test.each([
    ['save_memory', { key: 'k' }, 'value is missing'],
    ['save_memory', { value: 1 }, 'key must be a text'],
    ['save_memory', { key: 'k', value: 1, expiresAt: 'tomorrow' }, 'expiresAt must be a time'],
    ['save_memory', { key: 'k', value: 1, expiresAt: 7 }, 'expiresAt must be a time'],
    ['save_memory', { key: ' k', value: 1 }, 'a key has 1 to 200 printable characters'],
    ['save_memory', { key: 'k\u200bx', value: 1 }, 'a key has'],
    ['load_memory', { key: '' }, 'a key has'],
    ['load_memory', { key: 'x'.repeat(201) }, 'a key has'],
  ])('%s %j are refused', (tool, args, problem) => {
    expect(memoryRequestOf(tool, JSON.stringify(args))).toMatchObject({
      ...{ type: 'malformed', problem: expect.stringContaining(problem) },
    });
  });
});
