import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  acceptTools,
  decodeRecorded,
  definitionChanges,
  evolvePins,
  type FactName,
  isHeld,
  meetServer,
  type Pins,
  pinState,
  serverIdentity,
  unmet,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { fromBase64 } from '../golden/lines.ts';
import { foldOf, server, tool } from './story.ts';

const met = foldOf(meetServer(unmet, server, [tool('a'), tool('b')], false));

test('a recorded stream of pins still gives what it gave', () => {
  const text = readFileSync(join(import.meta.dirname, 'accepted.jsonl'), 'utf8');
  const seen = new Set<FactName>();
  let pins: Pins = unmet;
  for (const line of text.trimEnd().split('\n')) {
    const { envelope, pins: expected } = JSON.parse(line);
    const event = decodeRecorded({ envelope: fromBase64(envelope) });
    seen.add(event.fact.case);
    pins = evolvePins(pins, event);
    expect({ ...pins, accepted: [...pins.accepted] }).toEqual(expected);
  }
  expect([...seen]).toEqual(['toolServerMet', 'toolsAccepted']);
});

describe('what is accepted of a tool server', () => {
  test('is what it offers at first contact, and nothing by itself after that', () => {
    expect(met).toMatchObject({ revision: 1, isMet: true });
    expect(pinState(met, tool('a'))).toBe('first_use');
    expect(meetServer(met, server, [tool('c')], false)).toEqual([]);
    expect(pinState(met, tool('c'))).toBe('new');
    expect(pinState(met, tool('a', 'a 2'))).toBe('changed');
  });

  test('is nothing at first contact where the configuration is strict', () => {
    const strict = foldOf(meetServer(unmet, server, [tool('a')], true));
    expect(strict.isMet).toBe(true);
    expect(pinState(strict, tool('a'))).toBe('new');
    expect(meetServer(strict, server, [tool('a')], false)).toEqual([]);
  });

  test('is nothing of a server that was never met', () => {
    expect(isHeld(pinState(unmet, tool('a')))).toBe(true);
  });

  test('is the definition that somebody accepted last, and no earlier one', () => {
    const [one = [], two = []] = ['a 2', 'a 3'].map((pin) => acceptTools(met, [tool('a', pin)]));
    const pins = foldOf([...meetServer(unmet, server, [tool('a')], false), ...one, ...two]);
    expect(['a 1', 'a 2', 'a 3'].map((pin) => pinState(pins, tool('a', pin)))).toEqual([
      'changed',
      'changed',
      'accepted',
    ]);
  });

  test('is nothing more when it is said once more that the server was met', () => {
    const again = foldOf([
      ...meetServer(unmet, server, [tool('a')], false),
      ...meetServer(unmet, server, [tool('a', 'a 2'), tool('b')], false),
    ]);
    expect(['first_use', 'changed', 'new']).toEqual(
      [tool('a'), tool('a', 'a 2'), tool('b')].map((one) => pinState(again, one)),
    );
    expect(again.revision).toBe(2);
  });

  test('is recorded once, and only what is not accepted yet', () => {
    expect(acceptTools(met, [tool('a'), tool('b', 'b 2')])).toMatchObject([
      { case: 'toolsAccepted', value: { tools: [{ name: 'b', pin: 'b 2' }] } },
    ]);
    expect(acceptTools(met, [tool('a')])).toEqual([]);
  });
});

test('another name, transport, command or argument is another server', () => {
  const identities = [
    serverIdentity('s', 'stdio', ['node', 'a b']),
    serverIdentity('t', 'stdio', ['node', 'a b']),
    serverIdentity('s', 'http', ['node', 'a b']),
    serverIdentity('s', 'stdio', ['node', 'a', 'b']),
    serverIdentity('s', 'stdio', ['deno', 'a b']),
  ];
  expect(new Set(identities).size).toBe(identities.length);
  expect(serverIdentity('s', 'stdio', ['node', 'a b'])).toBe(identities[0]);
});

describe('what is new in a definition', () => {
  const changes = (before: unknown, after: unknown) =>
    definitionChanges(before === undefined ? '' : JSON.stringify(before), JSON.stringify(after));

  test('is every place that differs, and no other', () => {
    expect(changes({ a: { b: 1, c: [1, 2] }, d: 'x' }, { a: { b: 2, c: [1] }, e: {} })).toEqual([
      { path: 'a.b', before: '1', after: '2' },
      { path: 'a.c.1', before: '2' },
      { path: 'd', before: '"x"' },
      { path: 'e', after: '{}' },
    ]);
    expect(changes({ a: { b: [] } }, { a: { b: [] } })).toEqual([]);
  });

  test('is all of it where nothing was accepted', () => {
    expect(changes(undefined, { name: 'a', inputSchema: { type: 'object' } })).toEqual([
      { path: 'inputSchema.type', after: '"object"' },
      { path: 'name', after: '"a"' },
    ]);
  });

  test('hides nothing: what nobody sees is made visible, names that look like ways are quoted', () => {
    expect(changes({ a: 'x\u200by' }, { a: 'xy' })).toEqual([{ path: 'a', before: '"x\\u{200b}y"', after: '"xy"' }]);
    expect(changes({}, { 'a.b': 1, a: { b: 2 }, '\u202e': 'x\u200by', '': 0 })).toEqual([
      { path: '', before: '{}' },
      { path: '""', after: '0' },
      { path: '"a.b"', after: '1' },
      { path: 'a.b', after: '2' },
      { path: '\\u{202e}', after: '"x\\u{200b}y"' },
    ]);
  });
});
