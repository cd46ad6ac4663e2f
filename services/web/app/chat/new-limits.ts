/** What an agent may use of something, and has used, as the platform tells of a run that is paused at a limit. */
export type Use = { readonly used: number; readonly most: number };
export type LimitName = 'max_tokens' | 'max_cost' | 'max_agent_calls';
export type Reached = Readonly<Partial<Record<LimitName, Use>>>;

const grouped = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 9 });

type Kind = { readonly label: string; readonly amount: (value: number) => string };

const tokens = (value: number): string => `${grouped.format(value)} ${value === 1 ? 'token' : 'tokens'}`;
const calls = (value: number): string => `${grouped.format(value)} ${value === 1 ? 'call' : 'calls'} of agents`;

/** Each limit: what people call the new one, and an amount of it. */
const kinds: Readonly<Record<LimitName, Kind>> = {
  max_tokens: { label: 'Tokens in all', amount: tokens },
  max_cost: { label: 'US dollars in all', amount: (value) => dollars.format(value) },
  max_agent_calls: { label: 'Calls of agents in all', amount: calls },
};

/** The names under which the record has them. */
const recorded: Readonly<Record<string, LimitName>> = {
  LIMIT_KIND_TOKENS: 'max_tokens',
  LIMIT_KIND_COST: 'max_cost',
  LIMIT_KIND_AGENT_CALLS: 'max_agent_calls',
};
const nanoPerUsd = 1e9;

/** How much an agent may use since somebody has named new limits, as the record has them; empty if it names none. */
export function mayUse(limits: readonly { readonly kind?: unknown; readonly most?: unknown }[]): string {
  const amounts = limits.flatMap(({ kind, most }) => {
    const name = recorded[String(kind)];
    if (name === undefined) return [];
    return [kinds[name].amount(name === 'max_cost' ? Number(most) / nanoPerUsd : Number(most))];
  });
  return amounts.length === 0 ? '' : `may use up to ${amounts.join(' and ')}`;
}

const isName = (name: string): name is LimitName => name in kinds;

/** The limits that are reached, in the order in which the platform tells of them. */
export const namesOf = (reached: Reached): readonly LimitName[] => Object.keys(reached).filter(isName);

export const labelOf = (name: LimitName): string => kinds[name].label;

/** How much is used up, as a sentence. */
export function usedUp(name: LimitName, { used, most }: Use): string {
  const { amount } = kinds[name];
  return `It has used ${amount(used)} of ${amount(most)}.`;
}

/** A new limit as somebody has written it, or what is wrong with it. Empty is wrong as well: whoever names one names all that are reached. */
export function limitOf(name: LimitName, { used }: Use, written: string): number | string {
  const text = written.trim().replaceAll(',', '');
  const isWritten = name === 'max_cost' ? /^\d+(\.\d{1,9})?$/.test(text) : /^\d+$/.test(text);
  if (!isWritten) return name === 'max_cost' ? 'Write an amount, such as 2.50' : 'Write a whole number, such as 50000';
  const value = Number(text);
  return value > used ? value : `Write more than ${kinds[name].amount(used)}: that is used up already`;
}
