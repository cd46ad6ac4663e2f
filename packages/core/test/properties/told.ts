import type { RecordedFact } from '@stopgo/core';
import { type AgentNode, nodeAt, outputFromWire, outputText, resolvePrompt, TranscriptBuilder } from '@stopgo/core';
import type { Story } from './reference.ts';

/** What a log tells of its run, once it has settled otherwise than by being canceled. */
export function told(root: AgentNode, log: readonly RecordedFact[]): Story | undefined {
  const transcript = new TranscriptBuilder();
  for (const event of log) transcript.add(event);
  const textOf = (output: Parameters<typeof outputFromWire>[0]) =>
    outputText(outputFromWire(output), (revision) => transcript.textAt(revision));
  const steps: string[] = [];
  const sessionState: Record<string, string> = {};
  const prompts: Record<string, string> = {};
  for (const { fact } of log) {
    switch (fact.case) {
      case 'stepStarted': {
        const { stepId, bindings } = fact.value;
        steps.push(stepId);
        const node = nodeAt({ name: '', root }, stepId)?.node;
        const bound = Object.fromEntries(bindings.map(({ key, value }) => [key, [{ text: textOf(value) }]]));
        if (node !== undefined && 'prompt' in node)
          prompts[stepId] = resolvePrompt(node.prompt, bound, (one) => outputText(one, () => ''));
        break;
      }
      case 'stateSet':
        sessionState[fact.value.key] = textOf(fact.value.value);
        break;
      case 'runFailed':
        return { status: 'failed', response: fact.value.text, steps: steps.sort(), sessionState, prompts };
      case 'runCompleted': {
        const response = textOf(fact.value.output);
        return { status: 'completed', response, steps: steps.sort(), sessionState, prompts };
      }
      default:
    }
  }
  return undefined;
}
