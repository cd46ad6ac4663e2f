import type { Turn } from './turn.ts';

/** What the instructions call the task, to their end. */
const TASK = /^Task:\s*(.*)$/ms;
const NO_TOOLS = /\b(?:(?:call|use)\s+no|(?:do\s+not|don't|never)\s+(?:call|use)(?:\s+any)?)\s+tools?\b/i;

/** What is to be done: what follows `Task:` at the beginning of a line of the instructions; without it, what the user said last. */
export function taskOf({ instructions, lastUserText }: Turn): string {
  return TASK.exec(instructions)?.[1]?.trim() ?? lastUserText;
}

/** True if the instructions, up to their task, want an answer in words. */
export function wantsWords({ instructions }: Turn): boolean {
  return NO_TOOLS.test(instructions.replace(TASK, ''));
}
