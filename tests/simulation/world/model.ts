import { exitLoopTool } from '@stopgo/core';
import type { ModelOutcome, ModelPort, ModelRequest } from '@stopgo/orchestrator';
import type { Temperament } from './agents.ts';
import { crashes } from './log-port.ts';
import type { VirtualProcess } from './scheduler.ts';
import { gatedToolNames, toolNames } from './tools.ts';
import type { World } from './world.ts';

type Call = { readonly providerCallId: string; readonly name: string; readonly argumentsJson: string };

/**
 * A model that asks for up to three calls at once (of tools that do not exist, and with arguments that are none, too),
 * says something, says nothing, or fails.
 */
export function modelPort(
  world: World,
  process: VirtualProcess,
  onRequest: (request: ModelRequest) => void,
): ModelPort {
  return {
    takes: () => false,
    generate: (request, { signal, onDelta }) => {
      // The driver says which step this is for when it passes a delta on.
      onDelta?.('…');
      onRequest(request);
      return world.network.call(process, undefined, 'model', () => answer(world, request), {
        signal,
        onLeave: () => crashes(world, process, 'crashAroundModel'),
        onServed: () => {
          crashes(world, process, 'crashAroundModel');
        },
      });
    },
  };
}

/** How often a shaky model gives no answer. */
const shakiness = 0.15;

function answer(world: World, request: ModelRequest): ModelOutcome {
  const { random, faults } = world;
  if (faults.hit('modelFails')) return { kind: 'failed', message: 'the model is overloaded' };
  if (is(request, 'shaky') && random.chance(shakiness)) return { kind: 'failed', message: 'the model is not well' };
  const isFirst = !request.messages.some((message) => message.role === 'tool');
  const isAsking = is(request, 'eager') && isFirst;
  const silence = isAsking ? 0.05 : 0.35;
  const calls = random.chance(silence)
    ? []
    : Array.from({ length: random.whole(isAsking ? 2 : 1, 3) }, () => call(world, request, isAsking));
  const text = random.chance(calls.length === 0 ? 0.97 : 0.3) ? `said ${random.whole(0, 999)}` : '';
  world.count('model answers');
  return {
    kind: 'answer',
    answer: {
      text,
      calls,
      provider: 'offline',
      model: request.model,
      usage: { inputTokens: 1, outputTokens: 1 },
      stopReason: 'stop',
      ...(random.chance(0.1) ? { opaque: new Uint8Array([1, 2, 3]) } : {}),
    },
  };
}

function is(request: ModelRequest, temperament: Temperament): boolean {
  return request.model === temperament;
}

function call({ random }: World, request: ModelRequest, isAsking: boolean): Call {
  const canExit = request.tools.some((tool) => tool.name === exitLoopTool);
  const providerCallId = random.chance(0.5) ? `p${random.whole(0, 9_999)}` : '';
  if (canExit && random.chance(0.3)) return { providerCallId, name: exitLoopTool, argumentsJson: '{}' };
  if (random.chance(0.04)) return { providerCallId, name: 'no_such_tool', argumentsJson: '{}' };
  if (random.chance(0.04)) return { providerCallId, name: 'pay', argumentsJson: random.pick(['{', '[]', '7']) };
  // Few different arguments, so that equal calls are common, and spelled in different ways.
  const n = random.whole(0, 2);
  const argumentsJson = random.pick([`{"n":${n},"to":"a"}`, `{"to": "a", "n":${n}}`]);
  const agents = request.tools.filter((tool) => tool.name.startsWith('a2a_'));
  if (agents.length > 0 && random.chance(0.7))
    return { providerCallId, name: random.pick(agents).name, argumentsJson: `{"message":"do ${n}"}` };
  return { providerCallId, name: random.pick(isAsking ? gatedToolNames : toolNames), argumentsJson };
}
