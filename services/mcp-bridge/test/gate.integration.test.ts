import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { finishedOf, refusedOf, scriptedServer, startBridge } from './support/bridge.ts';

const { RefusedReason } = mcp;
const args = { text: 'x', more: { b: 1, a: 2 } };

test('a gated call without an approval is refused and does not reach the server', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const refused = refusedOf(await execute('erase', args));
  expect(refused.reason).toBe(RefusedReason.NOT_APPROVED);
  expect(refused.message).toBe(
    'the tool "erase" of the server "s" needs an approval, and the call has none (the tool is destructive)',
  );
  expect(server.calls('erase')).toBe(0);
});

test('a gated call runs with the approval of exactly this call, whatever the order of its arguments', async () => {
  const server = scriptedServer('s');
  const { execute, approval } = await startBridge([server.config]);
  const approved = await approval('erase', args);
  const reordered = { more: { a: 2, b: 1 }, text: 'x' };
  finishedOf(await execute('erase', reordered, approved));
  expect(server.journal().find(({ began }) => began === 'erase')?.args).toEqual(args);
});

test.each([
  ['other arguments', { text: 'y' }, {}],
  ['another digest', args, { digest: '0'.repeat(64) }],
  ['no digest', args, { digest: '' }],
  ['no approval id', args, { approvalId: '' }],
])('an approval does not let %s through', async (_what, given, change) => {
  const server = scriptedServer('s');
  const { execute, approval } = await startBridge([server.config]);
  const outcome = await execute('erase', given, { ...(await approval('erase', args)), ...change });
  expect(refusedOf(outcome).reason).toBe(RefusedReason.NOT_APPROVED);
  expect(server.calls('erase')).toBe(0);
});

test('the approval of one tool does not let another through', async () => {
  const server = scriptedServer('s', [], { approvalRequired: true });
  const { execute, approval, toolNamed } = await startBridge([server.config]);
  const { pin } = await toolNamed('look');
  const outcome = await execute('look', args, { ...(await approval('erase', args)), pin });
  expect(refusedOf(outcome).reason).toBe(RefusedReason.NOT_APPROVED);
  expect(server.calls('look')).toBe(0);
});

test('a server whose configuration wants approvals gates all of its tools', async () => {
  const server = scriptedServer('s', [], { approvalRequired: true });
  const { execute, approval, toolNamed } = await startBridge([server.config]);
  expect((await toolNamed('look')).approvalRequired).toBe(true);
  expect(refusedOf(await execute('look', args)).reason).toBe(RefusedReason.NOT_APPROVED);
  finishedOf(await execute('look', args, await approval('look', args)));
});

test('a tool of which every call is to be approved is gated, and the others of its server are not', async () => {
  const server = scriptedServer('s', [], { approvalTools: ['look'] });
  const { execute, approval, toolNamed } = await startBridge([server.config]);
  expect([(await toolNamed('look')).approvalRequired, (await toolNamed('note')).approvalRequired]).toEqual([
    true,
    false,
  ]);
  expect(refusedOf(await execute('look', args)).reason).toBe(RefusedReason.NOT_APPROVED);
  finishedOf(await execute('look', args, await approval('look', args)));
  finishedOf(await execute('note', {}));
});

test('unannotated: ask gates a tool without hints, run does not', async () => {
  const asking = scriptedServer('s', [], { unannotated: 'ask' });
  const running = scriptedServer('t', ['--prefix=t_']);
  const { execute } = await startBridge([asking.config, running.config]);
  expect(refusedOf(await execute('note', {})).reason).toBe(RefusedReason.NOT_APPROVED);
  finishedOf(await execute('t_note', {}));
});

test('an approved call of a tool that changed since is refused with the tool as it is now', async () => {
  const server = scriptedServer('s');
  const { become, execute, approval, held } = await startBridge([server.config]);
  const approved = await approval('erase', args);
  await become({ erase: { description: 'Erases everything' } });
  const refused = refusedOf(await execute('erase', args, { ...approved, server: 's' }));
  expect(refused.reason).toBe(RefusedReason.PIN_CHANGED);
  expect(refused.tool?.description).toBe('Erases everything');
  expect(refused.tool?.pin).not.toBe(approved.pin);
  expect((await held()).map(({ pin }) => pin)).toEqual([refused.tool?.pin]);
  expect(server.calls('erase')).toBe(0);
});

test('a tool that calls itself harmless after its approval does not get around it', async () => {
  const server = scriptedServer('s');
  const { execute, approval } = await startBridge([server.config]);
  const approved = await approval('erase', args);
  const change = { erase: { destructiveHint: false, description: 'Erases everything' } };
  finishedOf(await execute('become', { text: JSON.stringify(change) }));
  expect(refusedOf(await execute('erase', args, { ...approved, server: 's' })).reason).toBe(RefusedReason.PIN_CHANGED);
  expect(server.calls('erase')).toBe(0);
});

test('a tool that became destructive, and was accepted so, is refused, because its caller does not know it', async () => {
  const server = scriptedServer('s');
  const { become, execute, toolNamed, acceptAll } = await startBridge([server.config]);
  const { pin } = await toolNamed('note');
  await become({ note: { destructiveHint: true } });
  await acceptAll();
  const refused = refusedOf(await execute('note', args, { pin }));
  expect(refused.reason).toBe(RefusedReason.PIN_CHANGED);
  expect(refused.tool?.hints?.destructive).toBe(true);
  expect(server.calls('note')).toBe(0);
});

test('a harmless tool whose description changed still runs, once that is accepted', async () => {
  const server = scriptedServer('s');
  const { become, execute, toolNamed, acceptAll } = await startBridge([server.config]);
  const { pin } = await toolNamed('look');
  await become({ look: { description: 'Looks again' } });
  expect(refusedOf(await execute('look', {}, { pin, server: 's' })).reason).toBe(RefusedReason.TOOL_HELD);
  await acceptAll();
  finishedOf(await execute('look', {}, { pin }));
});

test('a call is refused whose tool is not safe to repeat any more: it was not fenced for that', async () => {
  const server = scriptedServer('s');
  const { become, execute, toolNamed, acceptAll } = await startBridge([server.config]);
  const { pin } = await toolNamed('look');
  const change = { look: { annotations: { readOnlyHint: false, destructiveHint: false } } };
  await become(change);
  await acceptAll();
  expect(refusedOf(await execute('look', args, { pin })).reason).toBe(RefusedReason.PIN_CHANGED);
  expect(server.calls('look')).toBe(0);
});

test('a tool that nobody has, or that is gone, is not found', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const never = refusedOf(await execute('nothing', {}, { server: 's' }));
  expect(never).toMatchObject({ reason: RefusedReason.TOOL_NOT_FOUND, message: 'Tool not found: nothing' });
  expect(refusedOf(await execute('note', {}, { server: 'other' })).reason).toBe(RefusedReason.TOOL_NOT_FOUND);
  finishedOf(await execute('become', { text: JSON.stringify({ note: null }) }));
  expect(refusedOf(await execute('note', {}, { server: 's' })).reason).toBe(RefusedReason.TOOL_NOT_FOUND);
});

test.each([
  ['{"a":', 'are not a JSON object'],
  ['[1]', 'are not a JSON object'],
  ['null', 'are not a JSON object'],
  ['{"a":"\\ud800"}', 'hold text that is not valid Unicode'],
  ['{"a":1,"a":2}', 'cannot be sent as they are: the member /a stands twice; write each member once'],
  [
    '{"a":9007199254740993}',
    'cannot be sent as they are: the number 9007199254740993 at /a is out of range: integers beyond 9007199254740991 must be written as strings',
  ],
  [`{"a":"${'x'.repeat(65_536)}"}`, 'have 65544 bytes; at most 65536 are allowed'],
])('arguments that cannot be used are an error for the model: %.20s', async (argumentsJson, problem) => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const result = finishedOf(await execute('look', {}, { argumentsJson }));
  expect(result.isError).toBe(true);
  expect(result.content).toBe(`Tool execution failed: the arguments ${problem}`);
  expect(server.calls('look')).toBe(0);
});
