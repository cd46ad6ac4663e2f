import { facts as wire } from '@stopgo/proto';
import { askingTool } from '../../promises/people-asked.ts';
import type { Random } from './random.ts';

/** What agents ask people here, and what may be said to it: read from the call, whatever the platform makes of that. */

const { ACCEPT, DECLINE, CANCEL } = wire.InputAction;

/** What a call asks for. */
export type Question = {
  readonly prompt: string;
  readonly inputType: 'text' | 'choice' | 'approval' | 'structured_data';
  readonly choices: readonly string[];
  readonly required: boolean;
  /** How long it is waited for, in milliseconds. */
  readonly waitMs: number;
};

/** What somebody says to it. */
export type Said = { readonly action: wire.InputAction; readonly contentJson: string };

/** What an agent is told. */
export type Told = { readonly content: string; readonly isError: boolean };

const choices = ['refund', 'credit', 'nothing'] as const;
/** The platform's own, a day: longer than any world lasts. */
const waitDefaultMs = 86_400_000;
const minuteMs = 60_000;

/** A call that asks people: for a choice mostly, and often for a short time only. */
export function askingCall(random: Random): { readonly name: string; readonly argumentsJson: string } {
  const inputType = random.pick(['choice', 'choice', 'text', 'approval', 'structured_data'] as const);
  const asked = {
    prompt: `what about ${random.whole(0, 99)}?`,
    inputType,
    ...(inputType === 'choice' ? { choices } : {}),
    ...(inputType === 'structured_data' ? { schema: amounts } : {}),
    ...(random.chance(0.5) ? { required: random.chance(0.4) } : {}),
    ...(random.chance(0.6) ? { timeoutMinutes: random.between(500, 6_000) / minuteMs } : {}),
  };
  return { name: askingTool, argumentsJson: JSON.stringify(asked) };
}

const amounts = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };

/** What the arguments of such a call ask for. */
export function questionIn(argumentsJson: string): Question {
  const given = JSON.parse(argumentsJson) as Partial<Question> & { readonly timeoutMinutes?: number };
  const { prompt = '', inputType = 'text', required = true, timeoutMinutes } = given;
  const waitMs = timeoutMinutes === undefined ? waitDefaultMs : timeoutMinutes * minuteMs;
  return { prompt, inputType, choices: given.choices ?? [], required, waitMs };
}

/** True if people may be waited for until a world's end. */
export const isEndless = ({ waitMs }: Question): boolean => waitMs === waitDefaultMs;

/** Something that may be said. */
export function allowed(random: Random, { inputType }: Question): Said {
  if (random.chance(0.25)) return { action: random.pick([DECLINE, DECLINE, CANCEL]), contentJson: '' };
  const answers = {
    text: { answer: `it was ${random.whole(0, 99)}` },
    choice: { answer: random.pick(choices) },
    approval: { approved: random.chance(0.5) },
    structured_data: { amount: random.whole(0, 99) },
  };
  return { action: ACCEPT, contentJson: JSON.stringify(answers[inputType]) };
}

/** Something that may not. */
export function forbidden(random: Random, { inputType }: Question): Said {
  if (random.chance(0.2)) return { action: DECLINE, contentJson: '{"answer":"refund"}' };
  const answers = {
    text: { answer: '' },
    choice: { answer: random.pick(['Refund', 'nothing else', '']) },
    approval: { approved: 'yes' },
    structured_data: random.pick([{ amount: 'much' }, {}]),
  };
  return { action: ACCEPT, contentJson: JSON.stringify(answers[inputType]) };
}

/** Whether that may be said to it. */
export function isAllowed(question: Question, { action, contentJson }: Said): boolean {
  if (action !== ACCEPT) return contentJson === '';
  const said = (contentJson === '' ? {} : JSON.parse(contentJson)) as { readonly [name: string]: unknown };
  const { answer, approved, amount } = said;
  if (Object.keys(said).length !== 1) return false;
  switch (question.inputType) {
    case 'text':
      return typeof answer === 'string' && answer !== '';
    case 'choice':
      return question.choices.some((one) => one === answer);
    case 'approval':
      return typeof approved === 'boolean';
    case 'structured_data':
      return Number.isInteger(amount);
  }
}

/** What an agent is told of what was said. */
export function toldOf({ inputType, required }: Question, { action, contentJson }: Said): Told {
  if (action !== ACCEPT) {
    const left = required ? 'The user declined to answer.' : 'The user left this out; go on without it.';
    return { content: left, isError: required };
  }
  const { answer, approved } = JSON.parse(contentJson) as { readonly answer?: string; readonly approved?: boolean };
  const verdict = approved === true ? 'The user approved.' : 'The user did not approve.';
  const contents = { text: answer, choice: answer, approval: verdict, structured_data: contentJson };
  return { content: contents[inputType] ?? '', isError: false };
}

/** What it is told if nobody said anything in time. */
export function toldOfSilence({ required }: Question): Told {
  const content = required ? 'Nobody answered in time.' : 'Nobody answered in time; go on without it.';
  return { content, isError: required };
}
