import { mcp } from '@stopgo/proto';
import { afterEach, expect, test, vi } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import { ToolListing } from '../src/servers/tool-listing.ts';
import type { Session } from '../src/session/session.ts';
import {
  collectingLog,
  eventually,
  finishedOf,
  refusedOf,
  scriptedServer,
  startBridge,
  stdioServer,
} from './support/bridge.ts';

const { PinState, RefusedReason } = mcp;

afterEach(() => vi.useRealTimers());

/** Its tool is another one each time that it is listed, and nobody is told. */
function fickleServer() {
  const script = `
    let lists = 0;
    const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const annotations = { readOnlyHint: true };
      if (method === 'initialize')
        send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } });
      if (method === 'tools/list')
        send(id, { tools: [{ name: 'look', description: 'list ' + ++lists, inputSchema: { type: 'object' }, annotations }] });
      if (method === 'tools/call') send(id, { content: [{ type: 'text', text: 'seen' }] });
    }).on('close', () => process.exit(0));`;
  return stdioServer('f', process.execPath, ['-e', script]);
}

test('a change that nobody tells is noticed after ten minutes, and the tool is held', async () => {
  expect(bridgeBounds.listRecheckMs).toBe(10 * 60 * 1_000);
  let now = 0;
  const { execute, held } = await startBridge([fickleServer()], { clock: () => now });
  now = bridgeBounds.listRecheckMs - 1;
  expect(finishedOf(await execute('look', {})).content).toBe('seen');
  expect(await held()).toEqual([]);
  now += 1;
  expect(refusedOf(await execute('look', {}, { server: 'f' })).reason).toBe(RefusedReason.TOOL_HELD);
  expect(await held()).toMatchObject([{ name: 'look', pinState: PinState.CHANGED }]);
});

test('a change that nobody tells is noticed when the server is connected again', async () => {
  const server = scriptedServer('s', ['--changes-its-mind']);
  const { execute, held } = await startBridge([server.config]);
  await execute('crash', {});
  const [tool] = await eventually(async () => ((await held()).length > 0 ? held() : undefined), 'it is held');
  expect(tool).toMatchObject({ name: 'crash_look', pinState: PinState.CHANGED });
});

test('a flood of changes slows the list of its own server only, and is told once', async () => {
  vi.useFakeTimers();
  let now = 0;
  const { log, lines } = collectingLog();
  const listing = (name: string) => {
    const count = { reads: 0 };
    const session = {
      listTools: async () => {
        count.reads += 1;
        return { definitions: [], problems: [] };
      },
      callsUnderWay: () => 0,
      followsChanges: () => true,
      said: {},
    } as unknown as Session;
    const one = new ToolListing(stdioServer(name, 'x', []), {
      ...{ bounds: bridgeBounds, log, clock: () => now, forwardsBearer: false },
      ...{ session: () => session, onTools: () => undefined, onFailure: () => undefined },
    });
    return { count, changed: () => one.changed(), refresh: (freshMs?: number) => one.refreshIfStale(freshMs) };
  };
  const flooder = listing('flooder');
  const other = listing('other');
  const pass = async (steps: number, flood: boolean) => {
    for (let step = 1; step <= steps; step += 1) {
      now += 100;
      if (flood) for (let times = 0; times < 10; times += 1) flooder.changed();
      if (step % 100 === 0) other.changed();
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  await pass(1_200, true);
  // Ten at once, and then one after each pause: 1, 2, 4, 8, 16, 30, 30 … seconds.
  expect(flooder.count.reads).toBeGreaterThan(bridgeBounds.listReadsMax + 3);
  expect(flooder.count.reads).toBeLessThan(bridgeBounds.listReadsMax + 12);
  expect(other.count.reads).toBe(12);
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'MCP server "flooder" keeps saying that its tools changed; its list is read less and less often',
    },
  ]);
  // A call that people approved is not held to a list that is known to be another one by now, however long the pause is.
  now += bridgeBounds.approvedListFreshMs;
  const paused = flooder.count.reads;
  flooder.refresh();
  expect(flooder.count.reads).toBe(paused);
  for (let calls = 0; calls < 10; calls += 1) {
    flooder.refresh(bridgeBounds.approvedListFreshMs);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(flooder.count.reads).toBe(paused + 1);
  // Its last change is not lost, and once it is quiet it is heard at once.
  await pass(1_200, false);
  const before = flooder.count.reads;
  flooder.changed();
  await vi.advanceTimersByTimeAsync(1);
  expect(flooder.count.reads).toBe(before + 1);
});
