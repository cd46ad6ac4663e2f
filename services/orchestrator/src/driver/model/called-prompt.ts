import {
  type AgentDefinition,
  type CalledPrompt,
  callAbove,
  calledPrompt,
  expandTemplate,
  isPipeline,
  type Output,
  type PromptScope,
  resolvePrompt,
  rootStep,
  type Toolset,
  type Transcript,
  toolsInPrompt,
} from '@stopgo/core';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';

/** The step of a model that is asked, and what is known of what was said. */
type Asking = { readonly driver: RunHandle; readonly stepId: string; readonly transcript: Transcript };

/** What the agent of a step is told that works on a call; undefined for the run's own agent. */
export async function calledFor(
  { driver, stepId, transcript }: Asking,
  signal: AbortSignal,
): Promise<CalledPrompt | undefined> {
  const callId = callAbove(stepId);
  const { run } = driver.state;
  const call = callId === undefined ? undefined : run?.calls[callId];
  if (run === null || callId === undefined || call === undefined) return undefined;
  const first = driver.definitionOf(rootStep).agent;
  return calledPrompt(transcript, run, callId, await argumentsOf(driver, call, signal), first);
}

/** What the model of a step is shown of what was said. */
export function scopeOf(
  agent: AgentDefinition,
  { driver, stepId }: Asking,
  called: CalledPrompt | undefined,
): PromptScope {
  const { runId } = driver;
  if (called !== undefined) return { kind: 'called', runId, stepId, ...called };
  return isPipeline(agent) ? { kind: 'step', runId, stepId } : { kind: 'conversation' };
}

/** The instructions of a model: the prompt of its node, with all that stands for something in it replaced. */
export function instructionsOf(
  agent: AgentDefinition,
  { prompt, bindings }: { readonly prompt: string; readonly bindings: Readonly<Record<string, Output>> },
  { driver, stepId, transcript }: Asking,
  told: {
    readonly offer: Toolset;
    readonly called: CalledPrompt | undefined;
    readonly textOf: (output: Output) => string;
  },
): string {
  const { platform } = agent;
  if (platform === undefined) return resolvePrompt(prompt, bindings, told.textOf);
  const { runId } = driver;
  const said = transcript.entries.findLast(
    (one) => one.runId === runId && one.stepId === '' && one.message.role === 'user',
  );
  const callId = callAbove(stepId);
  const values = {
    agent_name: platform.title,
    agent_description: platform.description,
    prompt: told.called?.input ?? said?.message.text ?? '',
    available_tools: toolsInPrompt([...told.offer.values()]),
    allowed_agents: transcript.agentsTo(runId, callId === undefined ? rootStep : `${callId}/${rootStep}`),
  };
  return expandTemplate(prompt, values, (key) =>
    Object.hasOwn(bindings, key) ? told.textOf(bindings[key] ?? []) : undefined,
  );
}
