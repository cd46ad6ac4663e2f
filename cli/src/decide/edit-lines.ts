import { terminalJson } from '../inspect/terminal-json.ts';
import { inPassing, shownName } from '../shown.ts';

/** Who approved the call with other arguments than the model's, and what those were. */
export type ShownEdit = {
  readonly by: string;
  readonly claimed: boolean;
  /** Why, in their words. */
  readonly said?: string;
  /** The approval of the call as it was. */
  readonly replaces?: string;
  readonly tool_args_before: unknown;
};

/** That somebody has changed the arguments of a call, and each argument that is another now; none if nobody has. */
export function editLines({
  edited,
  tool_args: now,
}: {
  readonly edited?: ShownEdit;
  readonly tool_args: unknown;
}): string[] {
  if (edited === undefined) return [];
  const { by, claimed, said, tool_args_before: before } = edited;
  const why = said === undefined ? '' : `: ${inPassing(said)}`;
  const [old, current] = [fieldsOf(before), fieldsOf(now)];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  return [
    `changed by ${shownName(by)}${claimed ? ' (claimed)' : ''}${why}`,
    ...names
      .filter((name) => old.get(name) !== current.get(name))
      .map((name) => `  ${shownName(name)}: ${shownValue(current.get(name))}, it was ${shownValue(old.get(name))}`),
  ];
}

/** The values of an object, as JSON text by name. */
const fieldsOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(Object.entries(value ?? {}).map(([name, inner]) => [name, terminalJson(inner)]));

const shownValue = (json: string | undefined): string => (json === undefined ? 'absent' : inPassing(json));
