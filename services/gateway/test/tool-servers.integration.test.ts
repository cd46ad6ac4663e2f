import type { MessageInitShape } from '@bufbuild/protobuf';
import { unavailable } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { BridgeReplica } from '../src/index.ts';
import { fakeServices } from './support/fake-services.ts';
import { gateway } from './support/gateway.ts';

const { HintOrigin, ServerState } = mcp;

const now = Date.UTC(2026, 0, 15, 10, 30);
const wallClock = () => now;

type Answer = MessageInitShape<typeof mcp.ListServersResponseSchema>;

/** A bridge of its own at an address, which answers so. */
function bridge(address: string, listServers: () => Promise<Answer>): BridgeReplica {
  return { address, client: fakeServices({ bridge: { listServers } }).clients.bridge };
}

const ready = { name: 'files', transport: 'stdio', address: 'node', state: ServerState.READY, tools: 2 };

test('/mcp/servers tells how each server is: since when, what last went wrong, what is left out and why', async () => {
  const listServers = async () => ({
    instance: 'bridge-1',
    servers: [
      {
        ...ready,
        stateMs: 60_000n,
        lastError: 'its process was ended by SIGKILL',
        lastErrorMs: 61_000n,
        protocolEra: 'legacy',
        protocolVersion: '2025-06-18',
        reconnects: 1,
        problems: ['tool "sly": its definition holds a character that a person does not see; the tool is left out'],
        leftOut: [{ name: 'sly', reason: 'its definition holds a character that a person does not see' }],
        toolsHeld: 1,
        identity: '9f86',
        pinsStrict: true,
        callsRunning: 1,
        callsWaiting: 4,
        callsAtOnce: 1,
      },
      {
        name: 'inside',
        transport: 'http',
        address: 'http://169.254.169.254/mcp',
        state: ServerState.QUARANTINED,
        reason: 'the server "inside" is quarantined: that address is not allowed',
        retryAfterMs: 200_000,
      },
    ],
  });
  const { send } = await gateway({ bridge: { listServers } }, { wallClock });
  const { status, json } = await send('GET', '/mcp/servers');
  expect(status).toBe(200);
  expect(json).toEqual({
    servers: [
      {
        name: 'files',
        bridge: 'bridge-1',
        transport: 'stdio',
        address: 'node',
        state: 'ready',
        since: '2026-01-15T10:29:00.000Z',
        last_error: { text: 'its process was ended by SIGKILL', at: '2026-01-15T10:28:59.000Z' },
        protocol: { era: 'legacy', version: '2025-06-18' },
        restarts: 1,
        tools: 2,
        tools_held: 1,
        tools_deselected: 0,
        identity: '9f86',
        pins_strict: true,
        left_out: [{ name: 'sly', reason: 'its definition holds a character that a person does not see' }],
        problems: ['tool "sly": its definition holds a character that a person does not see; the tool is left out'],
        calls: { running: 1, waiting: 4, at_once: 1 },
      },
      {
        name: 'inside',
        bridge: 'bridge-1',
        transport: 'http',
        address: 'http://169.254.169.254/mcp',
        state: 'quarantined',
        since: '2026-01-15T10:30:00.000Z',
        reason: 'the server "inside" is quarantined: that address is not allowed',
        retry_after_ms: 200_000,
        restarts: 0,
        tools: 0,
        tools_held: 0,
        tools_deselected: 0,
        pins_strict: false,
        left_out: [],
        problems: [],
        calls: { running: 0, waiting: 0, at_once: 0 },
      },
    ],
    bridges: [{ instance: 'bridge-1', answers: true }],
  });
});

test('a server of which models are offered nothing is not ready, and says why', async () => {
  const leftOut = [{ name: 'sly', reason: 'hidden characters' }];
  const none = { ...ready, tools: 0 };
  const servers = [
    { ...none, name: 'held', toolsHeld: 3 },
    { ...none, name: 'refused', leftOut },
    { ...none, name: 'both', toolsHeld: 3, leftOut },
    { ...none, name: 'empty' },
    { ...ready, name: 'some', toolsHeld: 3, leftOut },
    { ...none, name: 'down', state: ServerState.BACKOFF, reason: 'the server "down" is down: gone' },
  ];
  const { send } = await gateway(
    { bridge: { listServers: async () => ({ instance: 'bridge-1', servers }) } },
    { wallClock },
  );
  const { json } = await send('GET', '/mcp/servers');
  const said = (name: string, why: string) =>
    `the server "${name}" is connected, and models are offered none of its tools: ${why}`;
  const seen = json.servers.map((one: Record<string, unknown>) => [one.state, one.tools, one.tools_held, one.reason]);
  expect(seen).toEqual([
    ['not_offered', 0, 3, said('held', '3 held until somebody accepts them (`stopgo tools`)')],
    ['not_offered', 0, 0, said('refused', '1 left out')],
    ['not_offered', 0, 3, said('both', '3 held until somebody accepts them (`stopgo tools`), 1 left out')],
    ['not_offered', 0, 0, said('empty', 'it lists none')],
    ['ready', 2, 3, undefined],
    ['backoff', 0, 0, 'the server "down" is down: gone'],
  ]);
});

test('of several bridges each has its say, and one that does not answer is listed as such', async () => {
  const both = [ready, { ...ready, name: 'memory' }];
  const bridges = [
    bridge('10.0.0.1:7000', async () => ({ instance: 'bridge-1', servers: both })),
    bridge('10.0.0.2:7000', async () => Promise.reject(unavailable('nobody there'))),
    bridge('10.0.0.3:7000', async () => ({
      instance: 'bridge-3',
      servers: both.map((server) => ({ ...server, state: ServerState.CRASH_LOOP })),
    })),
  ];
  const { send, calls } = await gateway({}, { bridges: async () => bridges });
  const { status, json } = await send('GET', '/mcp/servers');
  expect(status).toBe(200);
  const seen = json.servers.map(({ name, bridge, state }: Record<string, string>) => `${name} ${bridge} ${state}`);
  expect(seen).toEqual([
    'files bridge-1 ready',
    'files bridge-3 crash_loop',
    'memory bridge-1 ready',
    'memory bridge-3 crash_loop',
  ]);
  expect(json.bridges).toEqual([
    { instance: 'bridge-1', address: '10.0.0.1:7000', answers: true },
    { address: '10.0.0.2:7000', answers: false },
    { instance: 'bridge-3', address: '10.0.0.3:7000', answers: true },
  ]);
  expect(calls).toEqual([]);
});

test('where no bridge answers, nobody knows', async () => {
  const silent = bridge('10.0.0.2:7000', async () => Promise.reject(unavailable('nobody there')));
  const { send } = await gateway({}, { bridges: async () => [silent, silent] });
  const { status, headers } = await send('GET', '/mcp/servers');
  expect(status).toBe(503);
  expect(headers['retry-after']).toBeDefined();
});

test('/tools says of each hint where it comes from, what definition the tool is pinned to, and who accepted that', async () => {
  const { send } = await gateway({
    bridge: {
      listTools: async () => ({
        tools: [
          {
            name: 'erase',
            pin: 'ab12',
            pinState: mcp.PinState.FIRST_USE,
            hints: { destructive: true, openWorld: true },
            hintOrigins: {
              readOnly: HintOrigin.ANNOTATIONS,
              destructive: HintOrigin.TOP_LEVEL,
              idempotent: HintOrigin.DEFAULT,
              openWorld: HintOrigin.CONFIGURATION,
            },
          },
        ],
      }),
    },
  });
  const { json } = await send('GET', '/tools');
  expect(json.tools[0]).toMatchObject({
    hints: {
      readOnlyHint: { value: false, from: 'annotations' },
      destructiveHint: { value: true, from: 'top_level' },
      idempotentHint: { value: false, from: 'default' },
      openWorldHint: { value: true, from: 'configuration' },
    },
    pin: 'ab12',
    pin_state: 'first_use',
  });
});
