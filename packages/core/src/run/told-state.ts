import { outputText } from '../state/output.ts';
import type { RunState } from '../state/state.ts';
import { quotedLines, quotedName } from '../text/visible.ts';

/**
 * What an agent is told that names these keys: what nodes have written under them, else what the agents of the run share. So no model can
 * put something else in the place of what a node comes to. Keys under which there is nothing are left out.
 *
 * @param textAt - the text of the answer, or the result of the call, that the event of a revision holds.
 * @param values - what is shared under those keys, by the revision at which it was written.
 */
export function toldState(
  { sessionState, data = [] }: Pick<RunState, 'sessionState' | 'data'>,
  keys: readonly string[],
  textAt: (revision: number) => string,
  values: ReadonlyMap<number, string>,
): string {
  const textUnder = (key: string): string | undefined =>
    Object.hasOwn(sessionState, key)
      ? outputText(sessionState[key] ?? [], textAt)
      : values.get(data.find((one) => one.key === key)?.writtenAt ?? 0);
  const told = keys.flatMap((key) => {
    const text = textUnder(key);
    return text === undefined ? [] : [`${quotedName(key)}:\n${quotedLines(text)}`];
  });
  return told.join('\n\n');
}
