import { visibleLine } from '@stopgo/core';
import { oneLine, shownName } from '../shown.ts';
import { askGateway } from './gateway.ts';

/** As a conversation shows what stands. */
type ShownStanding = {
  readonly id: string;
  readonly server?: string;
  readonly tool: string;
  readonly arguments: string;
  readonly granted_by: string;
  readonly granted_at: string;
};

type Shown = {
  readonly conversation: { readonly id: string; readonly standing_approvals?: readonly ShownStanding[] };
};

type Who = { readonly by?: string | undefined };

/** `stopgo standing ID`: what people let run for the rest of a conversation. */
export async function printStanding(url: string, id: string, print: (line: string) => void): Promise<void> {
  const path = `/conversations/${encodeURIComponent(id)}`;
  const shown = (await askGateway(url, path, { prefer: 'return=minimal' })) as Shown;
  printAll(shown, print);
}

/** `stopgo standing grant`: lets the like of a call run from now on. */
export async function grantStandingOf(
  url: string,
  approval: string,
  { by, same }: Who & { readonly same: boolean },
  print: (line: string) => void,
): Promise<void> {
  const body = { arguments: same ? 'same' : 'any', ...(by === undefined ? {} : { by }) };
  printAll((await askGateway(url, `/approvals/${encodeURIComponent(approval)}/standing`, { body })) as Shown, print);
}

/** `stopgo standing revoke`: takes it back. */
export async function revokeStandingOf(
  url: string,
  id: string,
  standing: string,
  { by }: Who,
  print: (line: string) => void,
): Promise<void> {
  const path = `/conversations/${encodeURIComponent(id)}/standing/${encodeURIComponent(standing)}/revoke`;
  printAll((await askGateway(url, path, { body: by === undefined ? {} : { by } })) as Shown, print);
}

function printAll({ conversation }: Shown, print: (line: string) => void): void {
  const standing = conversation.standing_approvals ?? [];
  if (standing.length === 0) print(oneLine(`nothing stands in conversation ${visibleLine(conversation.id)}`));
  for (const one of standing) {
    const what = `${shownName(one.tool)}${one.server === undefined ? '' : ` of ${shownName(one.server)}`}`;
    const how = one.arguments === 'same' ? 'with the same arguments' : 'with any arguments';
    print(oneLine(`${one.id}  ${what} ${how}, by ${shownName(one.granted_by)} at ${one.granted_at}`));
  }
}
