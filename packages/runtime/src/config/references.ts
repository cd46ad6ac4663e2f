import { isVariableName, text } from './shapes.ts';

/*
 * Secrets that a file names by the environment variable that holds them.
 */

const reference = /^env\(([^()]*)\)$/;

/** `env(NAME)`: what the environment variable holds. The schema's output is the text as written. */
export function variableReference() {
  return text()
    .refine(
      (value) => isVariableName(variableOf(value)),
      'expected env(NAME) with the name of an environment variable, in capital letters, digits and _ (never the secret itself)',
    )
    .meta({ pattern: '^env\\([A-Z_][A-Z0-9_]{0,127}\\)$' });
}

/** The variable that `env(NAME)` names; empty if it is none. */
export const variableOf = (text: string): string => reference.exec(text)?.[1] ?? '';
