import { create } from '@bufbuild/protobuf';
import { type OfferedTool, serverOf } from '@stopgo/core';
import type { AttemptKey, BridgeConnection, ExecuteOutcome, ExecuteRequest, FenceOutcome } from '@stopgo/orchestrator';
import { mcp as wire } from '@stopgo/proto';
import type { Bridge } from './bridge.ts';
import { checkSent } from './checks-now.ts';
import { crashes } from './log-port.ts';
import type { Fate } from './network.ts';
import type { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** The way from a process to whichever bridge is at an address when it is called. */
export function connectionTo(world: World, process: VirtualProcess, at: () => Bridge): BridgeConnection {
  const { network, faults, random } = world;
  return {
    close: () => undefined,
    client: {
      listTools: ({ knownRevision }) => {
        const bridge = at();
        return network.call(process, bridge.process, 'list tools', () => listing(world, bridge, knownRevision ?? ''));
      },
      execute: async (asked, { timeoutMs } = {}) => {
        const request = requestOf(create(wire.ExecuteRequestSchema, asked));
        checkSent(world, process.name, request);
        const bridge = at();
        if (faults.hit('freezeBeforeCall')) world.freeze(process, random.between(0.1, 6) * world.scenario.ttlMs);
        const outcome = await network.call(process, bridge.process, 'execute', () => bridge.execute(request), {
          fate: callFate(world),
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          onLeave: () => {
            if (crashes(world, process, 'crashBeforeCall')) return true;
            if (faults.hit('crashInCall'))
              world.scheduler.after(network.delay(10), process, () => world.crash(process));
            return false;
          },
          onServed: () => {
            crashes(world, process, 'crashAfterCall');
          },
        });
        return outcomeMessage(outcome);
      },
      fenceCall: async ({ key, instance }) => {
        const bridge = at();
        const fate = faults.hit('fenceAnswerLost') ? 'answer lost' : 'arrives';
        const ask = (): FenceOutcome => bridge.fence(keyOf(create(wire.CallKeySchema, key)), instance ?? '');
        return fenceMessage(await network.call(process, bridge.process, 'fence', ask, { fate }));
      },
      cancelCall: async ({ key, instance }) => {
        const bridge = at();
        const ask = (): void => bridge.cancel(keyOf(create(wire.CallKeySchema, key)), instance ?? '');
        await network.call(process, bridge.process, 'cancel', ask);
        return create(wire.CancelCallResponseSchema, {});
      },
      answerCall: () => Promise.resolve(create(wire.AnswerCallResponseSchema, {})),
      listHeldTools: () => Promise.resolve(create(wire.ListHeldToolsResponseSchema, {})),
      acceptTools: () => Promise.resolve(create(wire.AcceptToolsResponseSchema, {})),
      defineTools: () => Promise.resolve(create(wire.DefineToolsResponseSchema, {})),
      learnAccepted: () => Promise.resolve(create(wire.LearnAcceptedResponseSchema, {})),
      listServers: () => Promise.resolve(create(wire.ListServersResponseSchema, {})),
    },
  };
}

function callFate({ faults }: World): Fate {
  if (faults.hit('callNeverArrives')) return 'lost';
  if (faults.hit('callAnswerLost')) return 'answer lost';
  return faults.hit('callTwice') ? 'twice' : 'arrives';
}

function listing(world: World, bridge: Bridge, known: string): wire.ListToolsResponse {
  const definitions = world.tools.definitionsByPin();
  const revision = [...definitions.keys()].join(' ');
  const { instance } = bridge;
  if (known === revision) return create(wire.ListToolsResponseSchema, { revision, instance, unchanged: true });
  const isHidden = world.hasMutation('harm-is-hidden-from-policy');
  const tools = [...world.tools.catalogue().values()].map((tool) => {
    const shown = isHidden ? { ...tool, hints: { ...tool.hints, destructive: false } } : tool;
    const message = toolMessage(shown, definitions.get(tool.pin) ?? '');
    return world.scenario.takesOneAtATime ? { ...message, callsAtOnce: 1 } : message;
  });
  return create(wire.ListToolsResponseSchema, { revision, instance, tools });
}

function toolMessage({ target, ...tool }: OfferedTool, definitionJson: string): wire.Tool {
  return create(wire.ToolSchema, { ...tool, server: serverOf(target), definitionJson, hints: { ...tool.hints } });
}

function keyOf({ conversationId, runId, callId, attempt }: wire.CallKey): AttemptKey {
  return { conversationId, runId, callId, attempt };
}

function requestOf(request: wire.ExecuteRequest): ExecuteRequest {
  const { instance: bridge, server, tool, argumentsJson, approvalId, digest, pin } = request;
  const key = keyOf(request.key ?? create(wire.CallKeySchema, {}));
  return { key, bridge, server, tool, argumentsJson, approvalId, digest, pin, sessionId: '' };
}

function outcomeMessage(outcome: ExecuteOutcome): wire.ExecuteResponse {
  const refused = (reason: wire.RefusedReason, message = '', tool?: wire.Tool): wire.ExecuteResponse =>
    create(wire.ExecuteResponseSchema, {
      outcome: { case: 'refused', value: { reason, message, ...(tool === undefined ? {} : { tool }) } },
    });
  switch (outcome.kind) {
    case 'finished': {
      const { content, isError, durationMs } = outcome;
      return create(wire.ExecuteResponseSchema, {
        outcome: { case: 'finished', value: { content, isError, durationMs } },
      });
    }
    case 'unknown':
      return create(wire.ExecuteResponseSchema, { outcome: { case: 'unknown', value: { message: outcome.message } } });
    case 'pin_changed':
      return refused(wire.RefusedReason.PIN_CHANGED, '', toolMessage(outcome.current, ''));
    case 'unauthenticated':
      return refused(wire.RefusedReason.UNAUTHENTICATED);
    case 'fenced':
      return refused(wire.RefusedReason.FENCED);
    case 'not_allowed':
      return refused(wire.RefusedReason.NOT_APPROVED, outcome.message);
    case 'not_run':
      return refused(wire.RefusedReason.SERVER_UNAVAILABLE, outcome.message);
  }
}

function fenceMessage(outcome: FenceOutcome): wire.FenceCallResponse {
  switch (outcome.kind) {
    case 'never_seen':
      return create(wire.FenceCallResponseSchema, { state: { case: 'neverSeen', value: {} } });
    case 'running':
      return create(wire.FenceCallResponseSchema, { state: { case: 'running', value: {} } });
    case 'forgotten':
      return create(wire.FenceCallResponseSchema, { state: { case: 'forgotten', value: {} } });
    case 'outcome':
      return create(wire.FenceCallResponseSchema, {
        state: { case: 'outcome', value: outcomeMessage(outcome.outcome) },
      });
  }
}
