import { createHash } from 'node:crypto';
import { callDigest, chainHash, chainStart, isUuid, toolPin, uuidFrom } from '@stopgo/core';
import { describe, expect, test } from 'vitest';

describe('the digest of a call', () => {
  const one = { server: 'resources', tool: 'add', pin: 'p', argumentsJson: '{"name":"x","value":{"a":1,"b":[2,3]}}' };

  test('does not care for the order of keys, spacing, or how a number or character is written', () => {
    const same = ' { "value" : {"b":[2.0, 3e0],"a":1}, "n\\u0061me":"x" } ';
    expect(callDigest({ ...one, argumentsJson: same })).toBe(callDigest(one));
  });

  test.each([
    ['server', { server: 'other' }],
    ['tool', { tool: 'remove' }],
    ['pin', { pin: 'q' }],
    ['arguments', { argumentsJson: '{"name":"x","value":{"a":1,"b":[3,2]}}' }],
    ['arguments, by type', { argumentsJson: '{"name":"x","value":{"a":"1","b":[2,3]}}' }],
    ['where server ends and tool begins', { server: 'resourcesa', tool: 'dd' }],
  ])('changes with its %s', (_, change) => {
    expect(callDigest({ ...one, ...change })).not.toBe(callDigest(one));
  });

  test('takes no arguments that are not JSON', () => {
    expect(() => callDigest({ ...one, argumentsJson: '{' })).toThrow(TypeError);
  });
});

describe('the pin of a tool', () => {
  const definition = { name: 'add', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } };

  test('does not care for the order of keys', () => {
    const { annotations, inputSchema, name } = definition;
    expect(toolPin({ annotations, inputSchema, name })).toEqual(toolPin(definition));
  });

  test.each([
    ['an annotation changes', { annotations: { destructiveHint: false } }],
    ['an annotation appears', { annotations: { destructiveHint: true, readOnlyHint: true } }],
    ['the schema changes', { inputSchema: { type: 'object', required: ['name'] } }],
    ['a description appears', { description: 'Adds.' }],
  ])('changes when %s', (_, change) => {
    expect(toolPin({ ...definition, ...change }).pin).not.toBe(toolPin(definition).pin);
  });
});

describe('an id made from text', () => {
  test('is a UUID of version 4 layout, and the same again', () => {
    const ids = Array.from({ length: 64 }, (_, index) => uuidFrom('approval', String(index)));
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(isUuid(id)).toBe(true);
    }
    expect(new Set(ids).size).toBe(64);
    expect(uuidFrom('approval', '1')).toBe(ids[1]);
  });

  test('tells where one part ends', () => {
    expect(uuidFrom('ab', 'c')).not.toBe(uuidFrom('a', 'bc'));
  });
});

describe('the hash chain', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('begins with 32 zero bytes, and each hash covers the one before and the stored bytes', () => {
    const first = chainHash(chainStart, bytes('one'));
    const wanted = createHash('sha256').update(Buffer.concat([Buffer.alloc(32), bytes('one')]));
    expect(Buffer.from(first).toString('hex')).toBe(wanted.digest('hex'));
    const second = createHash('sha256').update(Buffer.concat([first, bytes('two')]));
    expect(Buffer.from(chainHash(first, bytes('two'))).toString('hex')).toBe(second.digest('hex'));
  });

  test('shows a changed, a missing and an exchanged event in every later hash', () => {
    const chain = (all: readonly string[]) =>
      Buffer.from(all.reduce((hash, one) => chainHash(hash, bytes(one)), chainStart)).toString('hex');
    const whole = chain(['a', 'b', 'c']);
    for (const other of [
      ['a', 'x', 'c'],
      ['a', 'c'],
      ['b', 'a', 'c'],
      ['a', 'b', 'c', ''],
    ])
      expect(chain(other)).not.toBe(whole);
  });
});
