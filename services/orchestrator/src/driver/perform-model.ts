import {
  cutText,
  type Effect,
  exitLoopTool,
  failureText,
  isPipeline,
  type LlmNode,
  markedForModel,
  offeredTo,
  outputText,
  type PromptMessage,
  type PromptScope,
  promptMessages,
  resolvePrompt,
  type Toolset,
} from '@stopgo/core';
import { secretFilter } from '@stopgo/security';
import type { ModelMessage, ModelTool } from '../models/port.ts';
import { modelWithoutSecrets } from '../without-secrets.ts';
import { checkCalls, heldNow } from './check-calls.ts';
import type { RunDriver } from './run-driver.ts';
import type { Foreseen } from './under-way.ts';

/** Bytes of a model's failure that the log repeats; the event has more of it. */
const reasonBytesMax = 1_024;

/**
 * Asks the model of a step and puts its answer, or its failure, on the record. `foreseen`: what it is told beyond the record,
 * while that is being appended; unless it is taken, the answer is dropped without a trace.
 */
export async function performModel(
  driver: RunDriver,
  effect: Extract<Effect, { kind: 'model' }>,
  signal: AbortSignal,
  foreseen?: Foreseen,
): Promise<void> {
  const { stepId, turn, node, bindings } = effect;
  const { conversationId, runId } = driver;
  // Whoever asks again has seen more of the log by then, if only a claim.
  const attempt = driver.state.revision;
  const recorded = await driver.transcripts.upTo(conversationId, driver.state.revision, signal);
  const transcript = foreseen === undefined ? recorded : recorded.withResults(foreseen.results);
  const textOf = (message: string): string => failureText(message, transcript, runId);
  const fail = async (message: string): Promise<void> => {
    const where = { conversation: conversationId, run: runId, step: stepId };
    driver.ports.onModelFailed({ model: node.model, ...where, reason: cutText(message, reasonBytesMax).text });
    await driver.submit({ type: 'modelFailed', stepId, turn, model: node.model, message, text: textOf(message) });
  };
  // After its calls a node of a tree may have nothing to add: their results stand for it.
  const mayBeSilent = turn > 1 && isPipeline(driver.agent);
  const scope: PromptScope = isPipeline(driver.agent) ? { kind: 'step', runId, stepId } : { kind: 'conversation' };
  const request = {
    model: node.model,
    system: resolvePrompt(node.prompt, bindings, (output) =>
      markedForModel(outputText(output, (at) => transcript.textAt(at))),
    ),
    messages: promptMessages(transcript, scope).map(modelMessage),
    tools: offered(driver.tools, node),
    mayBeSilent,
  };
  let offset = 0;
  const onDelta = (text: string): void => {
    driver.ports.deltas.publish({ conversationId, runId, stepId, turn, attempt, text, offset });
    offset += text.length;
  };
  // A token that a message brought belongs into no answer either.
  const token = secretFilter([driver.bearer?.reveal()]);
  const model = modelWithoutSecrets(driver.ports.models.forModel(node.model), token);
  const outcome = await model.generate(request, { signal, onDelta });
  driver.ports.deltas.ended({ runId, stepId, turn, attempt });
  if (foreseen !== undefined && !(await foreseen.isTaken)) return;
  if (outcome.kind === 'failed') return fail(outcome.message);
  const { answer } = outcome;
  // Models begin a call with an empty line now and then: nothing is said by that.
  const text = answer.text.trim() === '' ? '' : answer.text;
  if (text === '' && answer.calls.length === 0 && !mayBeSilent) return fail('the model gave an empty answer');
  const calls = await checkCalls(answer.calls, offeredTo(node, driver.tools), heldNow(driver.ports.tools));
  await driver.submit({
    type: 'modelAnswered',
    stepId,
    turn,
    text,
    calls,
    usage: answer.usage,
    provider: answer.provider,
    model: answer.model,
    opaque: answer.opaque ?? new Uint8Array(),
    stopReason: answer.stopReason,
    failureText: textOf,
  });
}

function modelMessage(message: PromptMessage): ModelMessage {
  if (message.role === 'user') return message;
  if (message.role === 'tool') return { role: 'tool', results: message.results };
  const { text, calls, provider, opaque } = message;
  return { role: 'assistant', text, calls, provider, ...(opaque.length === 0 ? {} : { opaque }) };
}

const exitLoop: ModelTool = {
  name: exitLoopTool,
  description: 'Exit the current loop. Call this only when instructed to do so.',
  inputSchemaJson: '{"type":"object","properties":{}}',
};

function offered(tools: Toolset, node: LlmNode): ModelTool[] {
  const all = [...offeredTo(node, tools).values()].map(({ name, description, inputSchemaJson }) => ({
    name,
    description,
    inputSchemaJson,
  }));
  return node.canExitLoop ? [...all, exitLoop] : all;
}
