import { type Effect, outputText, resolvePrompt } from '@stopgo/core';
import type { RunHandle } from '../handle/run-handle.ts';

/**
 * Puts the message of an a2a node on the record: its prompt with what the placeholders stand for, or without a prompt what
 * the user said. Nothing is sent by that.
 */
export async function performDelegation(
  driver: RunHandle,
  { stepId, node, bindings }: Extract<Effect, { kind: 'delegation' }>,
  signal: AbortSignal,
): Promise<void> {
  const transcript = await driver.transcripts.upTo(driver.conversationId, driver.state.revision, signal);
  const asked = transcript.entries.findLast(
    ({ runId, stepId: of, message }) => runId === driver.runId && of === '' && message.role === 'user',
  );
  const message =
    node.prompt.trim() === ''
      ? (asked?.message.text ?? '')
      : resolvePrompt(node.prompt, bindings, (output) => outputText(output, (at) => transcript.textAt(at)));
  await driver.submit({ type: 'delegate', stepId, message });
}
