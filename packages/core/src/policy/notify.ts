/** Which webhooks are told of approvals: by name; where they are is known to the configuration alone. */
import { suggest } from '../text/suggest.ts';
import type { Policy } from './policy.ts';
import type { PolicyReader } from './policy-reader.ts';

/** Webhooks of one rule. */
const notifyMax = 16;

/** Names of a webhook are words: they stand in the ids of what it is told. */
export const webhookNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The webhooks that are told of an approval that rules ask for, each by what it takes; none of them: the defaults do. */
export function notifyOf(policy: Policy | undefined, rules: readonly string[]): readonly string[] {
  const byDefault = policy?.notify ?? [];
  if (rules.length === 0) return byDefault;
  return [...new Set(rules.flatMap((rule) => policy?.rules.find(({ name }) => name === rule)?.notify ?? byDefault))];
}

/** Names in a list, each once; undefined if there is no list. Problems are told to the reader. */
export function readNotify(value: unknown, reader: PolicyReader): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = reader.list(value, notifyMax).flatMap(({ value: one, at }) => {
    if (typeof one !== 'string' || !webhookNamePattern.test(one)) {
      at.problem('expected the name of a webhook: letters, digits, _ or -, at most 64');
      return [];
    }
    if (reader.webhooks?.includes(one) === false) at.problem(unknownWebhook(one, reader.webhooks));
    return [one];
  });
  return [...new Set(names)];
}

function unknownWebhook(name: string, known: readonly string[]): string {
  if (known.length === 0) return `there is no webhook "${name}": webhooks names none`;
  const meant = suggest(name, known);
  const there = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  return `there is no webhook "${name}"; ${there}`;
}
