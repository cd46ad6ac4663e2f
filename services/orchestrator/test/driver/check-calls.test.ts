import { setImmediate as turn } from 'node:timers/promises';
import { callsPerAnswerMax, type OfferedTool, type RequestedCall, type Toolset } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { checkCalls, heldFor, heldNow } from '../../src/driver/calls/check-calls.ts';

const call = (argumentsJson: string, name = 'add'): RequestedCall => ({ providerCallId: 'p', name, argumentsJson });

function offered(schema: object, name = 'add'): Toolset {
  const hints = { readOnly: false, destructive: true, idempotent: false };
  const tool: OfferedTool = {
    ...{
      target: { kind: 'tool', server: 's' } as const,
      name,
      description: '',
      inputSchemaJson: JSON.stringify(schema),
      pin: JSON.stringify(schema),
    },
    ...{ hints: hints as unknown as OfferedTool['hints'], approvalRequired: false, forwardsBearer: false },
  };
  return new Map([[name, tool]]);
}

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, value: { type: 'integer' }, at: { type: 'string', pattern: '^[0-9]+$' } },
  required: ['name'],
};

describe('a call', () => {
  test.each([
    ['as it is, in canonical form', '{ "value": 1.0, "name": "x" }', '{"name":"x","value":1}'],
    ['coerced', '{"value":"42","name":7}', '{"name":"7","value":42}'],
    ['coerced, with a schema that is checked in a thread', '{"at":7,"name":"x"}', '{"at":"7","name":"x"}'],
  ])('is taken %s', async (_, args, taken) =>
    expect(await checkCalls([call(args)], offered(schema))).toEqual([call(taken)]),
  );

  test.each([
    ['that names a member twice', '{"name":"a","name":"b"}', /the member \/name stands twice/],
    [
      'that does not fit',
      '{"name":"x","value":"4.2"}',
      /^The arguments are not what the tool takes: arguments\.value: .*[^.]; the call was not run\.$/,
    ],
    ['that lacks something', '{}', /not what the tool takes: .*"name"/],
    ['that is no object', '[]', /not a JSON object/],
    ['that is no JSON', '{"name":"x"', /not a JSON object/],
  ])('%s is refused', async (_, args, words) => {
    const [checked] = await checkCalls([call(args)], offered(schema));
    expect(checked).toMatchObject({ argumentsJson: args === '{}' ? '{}' : expect.any(String) });
    expect(checked?.refusal).toMatch(words);
  });

  test.each([
    ['drop', false, 'nobody has accepted it as it is now; it runs once a person does: `stopgo tools accept s drop`'],
    ['drop', true, 'nobody has accepted it; it runs once a person does: `stopgo tools accept s drop`'],
    ['a;$(x)', true, 'nobody has accepted it; it runs once a person does: `stopgo tools accept SERVER TOOL`'],
  ])('of a tool that is held says how it is accepted: %s', async (name, isNew, words) => {
    const held = new Map([[name, { server: 's', isNew }]]);
    const [checked] = await checkCalls([call('{}', name)], offered(schema), held);
    expect(checked?.refusal).toBe(`The call was not run: the tool "${name}" of the server "s" is held: ${words}`);
    expect((await checkCalls([call('{"name":"x"}')], offered(schema), held))[0]?.refusal).toBeUndefined();
  });

  test('is told of to a node only that would be offered it', () => {
    const held = new Map([['drop', { server: 's', isNew: true }]]);
    const node = { type: 'llm', name: 'n', model: 'm', prompt: '', outputKey: '', canExitLoop: false } as const;
    const of = (more: object) => [...heldFor({ ...node, turnsMax: 1, approval: 'default', ...more }, held).keys()];
    expect(of({})).toEqual(['drop']);
    expect(of({ toolServers: ['other'] })).toEqual([]);
    expect(of({ tools: ['read_*'] })).toEqual([]);
  });

  test('goes on while no bridge has told its tools yet', () => {
    const nobody = () => {
      throw new Error('no catalogue yet');
    };
    expect(heldNow({ catalogue: nobody })).toEqual(new Map());
  });

  test('of a tool that nobody offered is left to the judge', async () =>
    expect(await checkCalls([call('{"b":1,"a":2}', 'other')], offered(schema))).toEqual([
      call('{"a":2,"b":1}', 'other'),
    ]));
});

test('an answer with more calls than are taken is not looked at', async () => {
  const calls = Array.from({ length: callsPerAnswerMax + 1 }, () => call('[]'));
  expect(await checkCalls(calls, offered(schema))).toBe(calls);
});

test('a schema that takes for ever blocks nothing, and its calls are refused', async () => {
  const hostile = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const calls = Array.from({ length: callsPerAnswerMax }, () => call(JSON.stringify({ a: `${'a'.repeat(60)}!` })));
  let isOver = false;
  let turns = 0;
  const checking = checkCalls(calls, offered(hostile)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await turn();
    turns += 1;
  }
  expect(turns).toBeGreaterThan(500);
  const refusals = (await checking).map(({ refusal }) => refusal ?? '');
  expect(refusals.filter((words) => /takes longer than 1000 ms|in time/.test(words))).toHaveLength(callsPerAnswerMax);
});
