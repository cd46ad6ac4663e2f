import type { Turn } from './turn.ts';

/** What the instructions call the task, to their end. */
const task = /^Task:\s*(.*)$/ms;
const noTools = /\b(?:(?:call|use)\s+no|(?:do\s+not|don't|never)\s+(?:call|use)(?:\s+any)?)\s+tools?\b/i;

/** What is to be done: what follows `Task:` at the beginning of a line of the instructions; without it, what the user said last. */
export function taskOf({ instructions, lastUserText }: Turn): string {
  return task.exec(instructions)?.[1]?.trim() ?? lastUserText;
}

/** True if the instructions, up to their task, want an answer in words. */
export function wantsWords({ instructions }: Turn): boolean {
  return noTools.test(instructions.replace(task, ''));
}
