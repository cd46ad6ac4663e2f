import { visibleLine } from '@stopgo/core';
import { oneLine } from '../shown.ts';
import { askGateway } from './gateway.ts';

/** What an answer says of a run. */
type Shown = {
  readonly run?: { readonly status: string };
  readonly result?: { readonly response?: string };
  readonly error?: string;
};

type Why = { readonly by?: string | undefined; readonly reason?: string | undefined };

/** `stopgo cancel`: ends the run of a conversation, or one of its steps. */
export async function cancelOf(
  url: string,
  id: string,
  step: string | undefined,
  why: Why,
  print: (line: string) => void,
): Promise<void> {
  const conversation = encodeURIComponent(id);
  const path =
    step === undefined
      ? `/conversations/${conversation}/cancel`
      : `/runs/${conversation}/steps/${encodeURIComponent(step)}/cancel`;
  await control(url, path, why, print);
}

/** `stopgo pause`: nothing new begins in the run of a conversation. */
export async function pauseOf(url: string, id: string, why: Why, print: (line: string) => void): Promise<void> {
  await control(url, `/runs/${encodeURIComponent(id)}/pause`, why, print);
}

/** `stopgo resume`: it goes on. */
export async function resumeOf(
  url: string,
  id: string,
  who: Pick<Why, 'by'>,
  print: (line: string) => void,
): Promise<void> {
  await control(url, `/runs/${encodeURIComponent(id)}/resume`, who, print);
}

async function control(url: string, path: string, { by, reason }: Why, print: (line: string) => void): Promise<void> {
  const body = reason === undefined ? {} : { reason };
  const headers = { prefer: 'return=minimal', ...(by === undefined ? {} : { 'x-approver': by }) };
  const { run, result, error } = (await askGateway(url, path, body, headers)) as Shown;
  const said = error ?? result?.response ?? (run === undefined ? 'done' : `the run is ${run.status}`);
  print(oneLine(visibleLine(said)));
}
