/**
 * `{placeholder}`s of a prompt. What they stand for is pinned when the step starts, so that whoever writes later, the
 * model is shown the same prompt, now and in any replay.
 */
import type { Output } from './state.ts';

const placeholder = /\{(\w+)\}/g;

/** The keys that a prompt names, each once, in the order of their first use. */
export function placeholdersOf(prompt: string): string[] {
  return [...new Set([...prompt.matchAll(placeholder)].map((match) => match[1] as string))];
}

/** What the placeholders of a prompt stand for in a session state, by key, and those that nothing has written. */
export function bindPlaceholders(
  prompt: string,
  sessionState: Readonly<Record<string, Output>>,
): { readonly bindings: readonly (readonly [key: string, value: Output])[]; readonly unresolved: readonly string[] } {
  const keys = placeholdersOf(prompt);
  // A key may be called as something that every object has.
  const written = keys.filter((key) => Object.hasOwn(sessionState, key));
  return {
    bindings: written.map((key) => [key, sessionState[key] ?? []] as const),
    unresolved: keys.filter((key) => !written.includes(key)),
  };
}

/**
 * The prompt with its placeholders replaced, once: a text put in is not looked at again. One that is bound to nothing
 * that was said becomes the empty text; one that is not bound stays as it is written.
 */
export function resolvePrompt(
  prompt: string,
  bindings: Readonly<Record<string, Output>>,
  textOf: (output: Output) => string,
): string {
  return prompt.replace(placeholder, (whole, key: string) =>
    Object.hasOwn(bindings, key) ? textOf(bindings[key] ?? []) : whole,
  );
}
