/** What is said of agents that have used what they may. */
import { quotedName } from './visible.ts';

/** What is counted. Cost is counted in nano-dollars. */
export type LimitKind = 'tokens' | 'cost' | 'agent_calls';

/** What the limits are called in an agent's file and in requests. */
export const limitNames = {
  tokens: 'max_tokens',
  cost: 'max_cost',
  agent_calls: 'max_agent_calls',
} as const satisfies Record<LimitKind, string>;

/** The most that a limit may be. */
export const limitMost: Readonly<Record<LimitKind, number>> = {
  tokens: 1_000_000_000_000,
  cost: 1_000_000 * 1_000_000_000,
  agent_calls: 1_000_000,
};

/** So much of something, and how much of it there may be. */
export type LimitUse = { readonly kind: LimitKind; readonly used: number; readonly most: number };

/** `1,200 of 1,000 tokens`, `$0.52 of $0.50`. */
export function usedOf({ kind, used, most }: LimitUse): string {
  if (kind === 'cost') return `${dollars(used)} of ${dollars(most)}`;
  return `${grouped(used)} of ${grouped(most)} ${kind === 'tokens' ? 'tokens' : 'agent calls'}`;
}

/** `1,000 tokens`, `$0.50`, `1 agent call`. */
export function mostOf(kind: LimitKind, most: number): string {
  if (kind === 'cost') return dollars(most);
  if (kind === 'tokens') return `${grouped(most)} ${most === 1 ? 'token' : 'tokens'}`;
  return `${grouped(most)} agent ${most === 1 ? 'call' : 'calls'}`;
}

/** Why a run is paused. */
export function limitPauses(agent: string, used: readonly LimitUse[]): string {
  return `${hasUsed(agent, used)}. Resume the run to let it use as much again, or give a new limit with that, or cancel it.`;
}

/** Why an agent has ended. */
export function limitEnds(agent: string, used: readonly LimitUse[]): string {
  return `${hasUsed(agent, used)}, and ends with that.`;
}

/** What a person lets an agent use in all, such as `up to 50,000 tokens and $5.00`. */
export function newLimitsText(limits: readonly Pick<LimitUse, 'kind' | 'most'>[]): string {
  return `up to ${listed(limits.map(({ kind, most }) => mostOf(kind, most)))}`;
}

function hasUsed(agent: string, used: readonly LimitUse[]): string {
  return `The agent ${quotedName(agent)} has used ${listed(used.map(usedOf))}`;
}

function listed(all: readonly string[]): string {
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

function dollars(nanoUsd: number): string {
  const usd = nanoUsd / 1_000_000_000;
  return `$${usd.toFixed(usd < 0.1 ? 6 : 2)}`;
}
