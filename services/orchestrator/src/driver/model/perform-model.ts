import {
  cutText,
  type Effect,
  failureText,
  isPipeline,
  markedForModel,
  mayAskAgain,
  type Output,
  offeredTo,
  outputText,
  promptMessages,
  type Toolset,
  withServerInstructions,
} from '@stopgo/core';
import { secretFilter } from '@stopgo/security';
import type { ModelTool } from '../../models/port.ts';
import { modelWithoutSecrets } from '../../without-secrets.ts';
import { checkCalls, heldFor, heldNow } from '../calls/check-calls.ts';
import type { Foreseen } from '../handle/foreseen.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { askModel } from './ask-model.ts';
import { calledFor, instructionsOf, scopeOf } from './called-prompt.ts';

/** Bytes of a model's failure that the log repeats; the event has more of it. */
const reasonBytesMax = 1_024;

/** More than the models that may be asked one after the other. */
const modelsAskedMax = 16;

/**
 * Asks the model of a step and puts its answer, or its failure, on the record. `foreseen`: what it is told beyond the record,
 * while that is being appended; unless it is taken, the answer is dropped without a trace.
 */
export async function performModel(
  driver: RunHandle,
  effect: Extract<Effect, { kind: 'model' }>,
  signal: AbortSignal,
  foreseen?: Foreseen,
): Promise<void> {
  const { stepId, turn, node, bindings } = effect;
  const { conversationId, runId } = driver;
  const { agent, tools: known } = driver.definitionOf(stepId);
  // Whoever asks again has seen more of the log by then, if only a claim. In between are the models that answer anew.
  let attempt = driver.state.revision * modelsAskedMax;
  const recorded = await driver.transcripts.upTo(conversationId, driver.state.revision, signal);
  const transcript = foreseen === undefined ? recorded : recorded.withResults(foreseen.results);
  const failureOf = (message: string): string => failureText(message, transcript, runId);
  const fail = async (message: string, isEmpty = false): Promise<void> => {
    const failed = {
      type: 'modelFailed',
      stepId,
      turn,
      model: node.model,
      message,
      text: failureOf(message),
      isEmpty,
    } as const;
    const { run } = driver.state;
    if (isEmpty && run !== null && mayAskAgain(run, effect)) return void (await driver.submit(failed));
    const where = { conversation: conversationId, run: runId, step: stepId };
    driver.ports.onModelFailed({ model: node.model, ...where, reason: cutText(message, reasonBytesMax).text });
    await driver.submit(failed);
  };
  // After its calls a node of a tree may have nothing to add: their results stand for it.
  const mayBeSilent = turn > 1 && isPipeline(agent);
  const asking = { driver, stepId, transcript };
  const called = await calledFor(asking, signal);
  const scope = scopeOf(agent, asking, called);
  const { platform } = agent;
  const offer = offeredTo({ node, ...(platform && { platform }), isRoot: node === agent.root }, known);
  const textOf = (output: Output): string => markedForModel(outputText(output, (at) => transcript.textAt(at)));
  const prompt = instructionsOf(agent, { prompt: node.prompt, bindings }, asking, { offer, called, textOf });
  const system = withServerInstructions(prompt, offer);
  const tools = offered(offer);
  let offset = 0;
  const onDelta = (text: string): void => {
    driver.ports.deltas.publish({ conversationId, runId, stepId, turn, attempt, text, offset });
    offset += text.length;
  };
  const onRestart = (): void => {
    driver.ports.deltas.ended({ runId, stepId, turn, attempt });
    attempt += 1;
    offset = 0;
  };
  // A token that a message brought belongs into no answer either.
  const token = secretFilter([driver.bearer?.reveal()]);
  const model = modelWithoutSecrets(driver.ports.models.forModel(node.model, node.fallbacks), token);
  const messages = promptMessages(transcript, scope);
  const asked = { model: node.model, system, messages, tools, mayBeSilent };
  const outcome = await askModel(driver, model, asked, { signal, onDelta, onRestart });
  driver.ports.deltas.ended({ runId, stepId, turn, attempt });
  if (foreseen !== undefined && !(await foreseen.isTaken)) return;
  if (outcome.kind === 'failed') return fail(outcome.message, outcome.isEmpty);
  const { answer } = outcome;
  // Models begin a call with an empty line now and then: nothing is said by that.
  const text = answer.text.trim() === '' ? '' : answer.text;
  if (text === '' && answer.calls.length === 0 && !mayBeSilent) return fail('the model gave an empty answer', true);
  const calls = await checkCalls(answer.calls, offer, heldFor(node, heldNow(driver.ports.tools)));
  await driver.submit({
    type: 'modelAnswered',
    stepId,
    turn,
    text,
    calls,
    usage: answer.usage,
    provider: answer.provider,
    model: answer.model,
    endpoint: answer.endpoint ?? '',
    opaque: answer.opaque ?? new Uint8Array(),
    stopReason: answer.stopReason,
    failureText: failureOf,
  });
}

function offered(offer: Toolset): ModelTool[] {
  return [...offer.values()].map(({ name, description, inputSchemaJson }) => ({ name, description, inputSchemaJson }));
}
