import { ApiError } from '@stopgo/client';
import { changeProblem } from '../ui/ask-first.tsx';

/** What is wrong with a form: at its fields by their names in the API, and what belongs to none of them. */
export type Problems = { readonly fields: Readonly<Record<string, string>>; readonly other: string };

export const noProblems: Problems = { fields: {}, other: '' };

/** Puts what the platform says to the field that it is about: it names the field, or begins with its name. */
export function problemsOf(error: unknown, fields: readonly string[]): Problems {
  if (!(error instanceof ApiError)) return { fields: {}, other: changeProblem(error) };
  const named = typeof error.body.field === 'string' ? error.body.field : undefined;
  const field = fields.find(
    (one) => one === named || new RegExp(`^(?:invalid request body: )?"?${one}\\b`).test(error.message),
  );
  if (field === undefined) return { fields: {}, other: changeProblem(error) };
  // The name stands before it already, in the words of the form.
  const words = changeProblem(new Error(error.message.replace(`${field}: `, '')));
  return { fields: { [field]: words }, other: '' };
}
