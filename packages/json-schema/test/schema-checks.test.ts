import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { slowValuesMax } from '../src/bounds.ts';
import { CheckThread } from '../src/check-thread.ts';
import { SchemaChecks } from '../src/schema-checks.ts';
import { schemaProblem, shownProblem } from '../src/schema-problem.ts';

const started: SchemaChecks[] = [];
function schemaChecks(options: ConstructorParameters<typeof SchemaChecks>[0] = {}): SchemaChecks {
  const checks = new SchemaChecks(options);
  started.push(checks);
  return checks;
}
afterAll(() => {
  for (const checks of started) checks.endIdle();
});

const owned = (key: string, owner = 's') => ({ key, owner });
const typed = { type: 'object', properties: { amount: { type: 'number', minimum: 1 } }, required: ['amount'] };
/** Not plain: looked at in a thread. */
const patterned = { ...typed, patternProperties: { '^x-': { type: 'string', pattern: '^[a-z]+$' } } };
const hostile = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
/** Takes that longer than anybody waits. */
const endless = { a: `${'a'.repeat(60)}!` };

describe.each([
  ['at once', typed],
  ['in a thread', patterned],
])('a value that is checked %s', (where, schema) => {
  const check = schemaChecks().checkOf(schema, owned('k'));

  test('waits for nothing but a thread', async () => {
    const result = check({ amount: 2 });
    expect(result instanceof Promise).toBe(where === 'in a thread');
    await result;
  });

  test('that fits is let through, often', async () => {
    for (let times = 0; times < 3; times += 1) expect(await check({ amount: 2 })).toBeUndefined();
  });

  test.each([
    [{}, /^the arguments: .*"amount"/],
    [{ amount: 'two' }, /^arguments\.amount: .*"string"/],
    [{ amount: 0 }, /^arguments\.amount: .*1/],
    ['text', /^the arguments: .*"string"/],
  ])('that does not fit is told where: %s', async (value, words) => expect(await check(value)).toMatch(words));
});

describe('a value', () => {
  test.each([
    ['another document', { type: 'object', properties: { a: { $ref: 'https://schemas.example/a.json' } } }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }],
    ['a wrong regular expression', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
    ['itself', { type: 'object', $ref: '#' }],
  ])('is left to the server where the schema cannot tell: it refers to %s', async (_, schema) =>
    expect(await schemaChecks().checkOf(schema, owned('k'))({ a: 'x' })).toBeUndefined(),
  );

  test('is no name for a message without bounds, nor one that hides something', async () => {
    const schema = { type: 'object', properties: { a: { enum: ['\u202e', 'x'.repeat(9_000)] } } };
    const words = shownProblem((await schemaChecks().checkOf(schema, owned('k'))({ a: 1 })) ?? '');
    expect(words.length).toBeLessThan(600);
    expect(words).toContain('\\u{202e}');
  });
});

describe('a hostile schema', () => {
  test('blocks nobody: the event loop turns while it is checked against', async () => {
    const check = schemaChecks({ checkMs: 300 }).checkOf(hostile, owned('k'));
    let turns = 0;
    let isOver = false;
    const calls = Promise.all(Array.from({ length: 32 }, () => check(endless))).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await turn();
      turns += 1;
    }
    expect(turns).toBeGreaterThan(200);
    const late = 'the schema takes longer than 300 ms to check it';
    const again =
      'it could not be checked against the schema in time (this value took too long a moment ago, and is not tried again yet)';
    // One of them was tried; the others waited for it, and are not.
    expect((await calls).sort()).toEqual([...Array<string>(31).fill(again), late]);
  });

  test('is tried again after a while, and a value that takes no time is let through then', async () => {
    let now = 0;
    const check = schemaChecks({ checkMs: 100, retryAfterMs: 1_000, clock: () => now }).checkOf(hostile, owned('k'));
    const slow = Array.from({ length: slowValuesMax }, (_, at) => ({ a: `${'a'.repeat(60 + at)}!` }));
    for (const value of slow) expect(await check(value)).toMatch(/takes longer/);
    now = 999;
    expect(await check({ a: 'aaa' })).toMatch(/its schema took too long a moment ago/);
    now = 1_000;
    expect(await check({ a: 'aaa' })).toBeUndefined();
  });

  test('with one slow value refuses that value, and nobody else who calls its tool', async () => {
    const check = schemaChecks({ checkMs: 100 }).checkOf(hostile, owned('k'));
    expect(await check(endless)).toMatch(/takes longer/);
    expect(await check(endless)).toMatch(/this value took too long a moment ago/);
    expect(await check({ a: 'aaa' })).toBeUndefined();
    expect(await check({ a: 'aab' })).toMatch(/^arguments\.a: /);
  });

  test('keeps nobody else waiting, whatever number of them its server has', async () => {
    const checks = schemaChecks({ checkMs: 300 });
    const order: string[] = [];
    const bad = Array.from({ length: 8 }, (_, at) =>
      Promise.resolve(checks.checkOf(hostile, owned(`bad ${at}`, 'hostile'))(endless)).then(() =>
        order.push('hostile'),
      ),
    );
    const good = Promise.resolve(checks.checkOf(patterned, owned('good', 'other'))({ amount: 2 })).then((problem) =>
      order.push(problem ?? 'fits'),
    );
    await Promise.all([...bad, good]);
    expect(order.indexOf('fits')).toBeLessThan(2);
  });

  test('makes nobody wait longer than the wait has a bound', async () => {
    const checks = schemaChecks({ checkMs: 60_000, waitMs: 50 });
    const first = checks.checkOf(hostile, owned('first', 'one'));
    const stuck = first({ a: `${'a'.repeat(26)}!` });
    expect(await checks.checkOf(patterned, owned('second', 'one'))({ amount: 2 })).toBe(
      'it could not be checked against the schema in time (other checks took 50 ms)',
    );
    await stuck;
  });

  test('has all of its time once its turn has come, whatever the bound of the wait', async () => {
    const check = schemaChecks({ checkMs: 300, waitMs: 50 }).checkOf(hostile, owned('k'));
    expect(await check(endless)).toBe('the schema takes longer than 300 ms to check it');
  });

  test('that takes all memory ends its thread, and nothing else', async () => {
    const a = { type: 'object', allOf: Array.from({ length: 40 }, () => ({ $ref: '#/$defs/b' })) };
    const $defs = { b: { allOf: Array.from({ length: 40 }, () => ({ $ref: '#/$defs/c' })) }, c: { pattern: 'x' } };
    const checks = schemaChecks({ checkMs: 2_000 });
    await checks.checkOf({ ...a, $defs }, owned('k'))({ a: 'x'.repeat(1_000) });
    expect(await checks.checkOf(patterned, owned('good'))({ amount: 2 })).toBeUndefined();
  });
});

describe('a thread', () => {
  test('that does not start is not held against the schema: it is tried again at once', async () => {
    const run = vi
      .spyOn(CheckThread.prototype, 'run')
      .mockResolvedValueOnce({ kind: 'unstarted', reason: 'no memory' });
    const check = schemaChecks().checkOf(patterned, owned('k'));
    expect(await check({ amount: 2 })).toBe('the schema could not be checked against (no memory)');
    expect(await check({ amount: 2 })).toBeUndefined();
    run.mockRestore();
  });

  test('that ends during a check is: its schema is not tried again yet', async () => {
    const run = vi.spyOn(CheckThread.prototype, 'run').mockResolvedValueOnce({ kind: 'broken', reason: 'no memory' });
    const check = schemaChecks().checkOf(patterned, owned('k'));
    expect(await check({ amount: 2 })).toBe('the schema could not be checked against (no memory)');
    expect(await check({ amount: 2 })).toMatch(/this value .* not tried again yet/);
    run.mockRestore();
  });

  test('that ended before its job began has not started', async () => {
    const thread = new CheckThread();
    thread.end();
    expect(await thread.run({ schemaJson: '{}', valueJson: '1' }, 60_000)).toMatchObject({ kind: 'unstarted' });
  });
});

describe('a schema', () => {
  test.each([
    [{ type: 'thing' }, '"type" is none at #'],
    [{ properties: 7 }, '"properties" is no object at #'],
    [{ properties: { a: { type: ['string', 'nul'] } } }, '"type" is none at #/properties/a'],
    [{ items: { anyOf: {} } }, '"anyOf" is no list at #/items'],
    [{ required: 'a' }, '"required" is no list of names at #'],
    [{ additionalProperties: 'no' }, '#/additionalProperties is no schema'],
  ])('that makes no sense is told where: %j', (schema, words) => expect(schemaProblem(schema)).toBe(words));

  test.each([
    { type: 'object', properties: { a: true, b: { required: true } }, additionalProperties: false },
    { type: ['object', 'null'], items: [{ type: 'string' }], $defs: { a: {} } },
  ])('as people write them makes sense: %j', (schema) => expect(schemaProblem(schema)).toBeUndefined());
});
