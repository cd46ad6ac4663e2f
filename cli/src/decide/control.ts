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
  { by, ...limits }: Pick<Why, 'by'> & NewLimits,
  print: (line: string) => void,
): Promise<void> {
  const given = Object.entries(limits).map(([flag, text]) => [flag.replaceAll('-', '_'), amountOf(flag, text)]);
  const body = given.length === 0 ? {} : { limits: Object.fromEntries(given) };
  await control(url, `/runs/${encodeURIComponent(id)}/resume`, { by }, print, body);
}

/** How much an agent may use from now on, as it was typed; absent: nothing is said of it. */
export type NewLimits = { readonly [flag in 'max-tokens' | 'max-cost' | 'max-agent-calls']?: string };

function amountOf(flag: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new Error(`--${flag} takes a number, such as ${flag === 'max-cost' ? '2.50' : '50000'}`);
}

async function control(
  url: string,
  path: string,
  { by, reason }: Why,
  print: (line: string) => void,
  body: object = reason === undefined ? {} : { reason },
): Promise<void> {
  const asking = { prefer: 'return=minimal', ...(by === undefined ? {} : { approver: by }) };
  const { run, result, error } = (await askGateway(url, path, { body, ...asking })) as Shown;
  const said = error ?? result?.response ?? (run === undefined ? 'done' : `the run is ${run.status}`);
  print(oneLine(visibleLine(said)));
}
