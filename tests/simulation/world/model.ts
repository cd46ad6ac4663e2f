import { exitLoopTool } from '@stopgo/core';
import type { ModelOutcome, ModelPort, ModelRequest } from '@stopgo/orchestrator';
import { askingTool } from '../../promises/people-asked.ts';
import { callingNames, type Temperament } from './agents.ts';
import { crashes } from './log-port.ts';
import { askingCall } from './questions.ts';
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
  const ends = ending(world, request, calls);
  const text = random.chance(calls.length === 0 ? 0.97 : 0.3) ? `said ${random.whole(0, 999)}` : '';
  world.count('model answers');
  return {
    kind: 'answer',
    answer: {
      text,
      calls: ends ?? calls,
      provider: 'offline',
      model: request.model,
      usage: { inputTokens: 1, outputTokens: 1 },
      stopReason: 'stop',
      ...(random.chance(0.1) ? { opaque: new Uint8Array([1, 2, 3]) } : {}),
    },
  };
}

/** How often an agent that calls others says that it has done its task; sometimes with something else, which is too early. */
const doneHow = 0.45;

function ending({ random }: World, request: ModelRequest, calls: readonly Call[]): readonly Call[] | undefined {
  if (!request.tools.some(({ name }) => name === 'complete_agent_execution') || !random.chance(doneHow))
    return undefined;
  const status = random.pick(['SUCCESS', 'SUCCESS', 'PARTIAL', 'FAILED']);
  const said = { result: `did ${random.whole(0, 99)}`, status, ...(random.chance(0.1) ? { confidence: 7 } : {}) };
  const done = { providerCallId: '', name: 'complete_agent_execution', argumentsJson: JSON.stringify(said) };
  return random.chance(0.9) ? [done] : [...calls.slice(0, 1), done];
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
  if (request.tools.some(({ name }) => name === 'call_agent') && random.chance(0.35)) {
    const said = { agent_name: random.pick([...callingNames, 'nobody']), input: `do ${n}` };
    return { providerCallId, name: 'call_agent', argumentsJson: JSON.stringify(said) };
  }
  if (request.tools.some(({ name }) => name === 'save_memory') && random.chance(0.25)) {
    const key = n === 0 ? 'seldom' : 'often';
    if (random.chance(0.5)) return { providerCallId, name: 'load_memory', argumentsJson: JSON.stringify({ key }) };
    const value = random.whole(0, 999);
    return { providerCallId, name: 'save_memory', argumentsJson: JSON.stringify({ key, value }) };
  }
  if (request.tools.some(({ name }) => name === 'run_data_write') && random.chance(0.25)) return dataCall(random, n);
  if (request.tools.some(({ name }) => name === askingTool) && random.chance(0.3))
    return { providerCallId, ...askingCall(random) };
  const agents = request.tools.filter((tool) => tool.name.startsWith('a2a_'));
  if (agents.length > 0 && random.chance(0.7))
    return { providerCallId, name: random.pick(agents).name, argumentsJson: `{"message":"do ${n}"}` };
  return { providerCallId, name: random.pick(isAsking ? gatedToolNames : toolNames), argumentsJson };
}

/** Few keys, so that agents of a run write and read the same ones, also beside each other. */
function dataCall(random: World['random'], n: number): Call {
  const key = n === 0 ? 'seldom' : 'often';
  const name = random.pick(['write', 'write', 'read', 'read', 'read', 'delete', 'query']);
  const args = name === 'query' ? { text: '1' } : { key, ...(name === 'write' ? { value: random.whole(0, 999) } : {}) };
  return { providerCallId: '', name: `run_data_${name}`, argumentsJson: JSON.stringify(args) };
}
