import { type Answer, RawJson } from '../json-text.ts';

/** The arguments of a call, digit by digit as they are sent; null if there are none. What is not JSON is shown as text. */
export function callArguments(argumentsJson: string): Answer {
  return argumentsJson === '' ? null : (RawJson.from(argumentsJson) ?? argumentsJson);
}
