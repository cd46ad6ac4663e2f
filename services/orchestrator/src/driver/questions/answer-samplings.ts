import {
  type AnswerUsage,
  cutText,
  inputReasonBytesMax,
  nodeAt,
  type SamplingAsked,
  samplingResult,
  samplingTokensMax,
  serverQuestions,
} from '@stopgo/core';
import type { AskedQuestions, AttemptKey } from '../../tool-port.ts';
import { generateTold } from '../handle/model-waits.ts';
import type { RunHandle } from '../handle/run-handle.ts';

/** What goes on the record besides the id of the question. */
type Answer = {
  readonly contentJson: string;
  readonly error: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: AnswerUsage;
};

/**
 * Has the agent's model answer what the server of a call wants of it, and puts the answers on the record, from where they are handed
 * over like those of people. To be told what the call asks now whenever that is on the record; each question is put to the model
 * once, unless there is an answer already. The signal ends it.
 */
export function answerSamplings(
  driver: RunHandle,
  { callId }: AttemptKey,
  signal: AbortSignal,
): (asked: AskedQuestions) => void {
  const begun = new Set<string>();
  const begin = async (inputId: string, sampling: SamplingAsked): Promise<void> => {
    // One of its own for each question: every call of a model listens to the signal that it is given.
    const stop = AbortSignal.any([signal, driver.stopping]);
    const answer = await answerOf(driver, callId, sampling, stop);
    await driver.submit({ type: 'samplingAnswered', inputId, ...answer });
  };
  return (asked) => {
    // Whoever owns the run asks the model; this process may only be waiting for what it still learns.
    if (!driver.isOwner()) return;
    const waiting = serverQuestions(driver.state.run).filter((one) => one.callId === callId);
    for (const { id, sampling } of asked) {
      const input = waiting.find(({ server, kind }) => kind === 'sampling' && server.questionId === id);
      if (sampling === undefined || input === undefined || begun.has(id)) continue;
      begun.add(id);
      // The model rejects only when it is stopped: then nobody waits for the answer here.
      begin(input.id, sampling).catch(() => undefined);
    }
  };
}

async function answerOf(driver: RunHandle, callId: string, asked: SamplingAsked, signal: AbortSignal): Promise<Answer> {
  const { stepId = '' } = driver.state.run?.calls[callId] ?? {};
  const placed = nodeAt(driver.definitionOf(stepId).agent, stepId);
  const none = { contentJson: '', provider: '', model: '', usage: { inputTokens: 0, outputTokens: 0 } };
  if (placed?.node.type !== 'llm') return { ...none, error: 'the node that made the call has no model' };
  const { model, fallbacks } = placed.node;
  const request = {
    model,
    system: asked.systemPrompt,
    messages: asked.messages.map(({ byModel, text }) =>
      byModel ? ({ role: 'assistant', text, calls: [], provider: '' } as const) : ({ role: 'user', text } as const),
    ),
    tools: [],
    answerTokensMax: Math.min(asked.maxTokens, samplingTokensMax),
  };
  const outcome = await generateTold(driver, driver.ports.models.forModel(model, fallbacks), request, { signal });
  if (outcome.kind === 'answer' && outcome.answer.text !== '') {
    const { provider, usage } = outcome.answer;
    const contentJson = samplingResult(asked, outcome.answer);
    return { contentJson, error: '', provider, model: outcome.answer.model, usage };
  }
  const error = outcome.kind === 'failed' ? outcome.message : 'the model gave no text';
  const where = { conversation: driver.conversationId, run: driver.runId, step: stepId };
  driver.ports.onModelFailed({ model, ...where, reason: cutText(error, inputReasonBytesMax).text });
  return { ...none, model, error };
}
