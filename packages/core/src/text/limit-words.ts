/** What is said of agents that have used what they may. */
import { quotedName } from './visible.ts';

/** What is counted. Dollars are counted in nano-dollars. */
type Counted = 'tokens' | 'agent calls' | 'dollars';

/** `1,200 of 1,000 tokens`, `$0.52 of $0.50`. */
export function usedOf(counted: Counted, used: number, most: number): string {
  if (counted === 'dollars') return `${dollars(used)} of ${dollars(most)}`;
  return `${grouped(used)} of ${grouped(most)} ${counted}`;
}

/** Why a run is paused. */
export function limitPauses(agent: string, used: string): string {
  return `The agent ${quotedName(agent)} has used ${used}. Resume the run to let it use as much again, or cancel it.`;
}

/** Why an agent has ended. */
export function limitEnds(agent: string, used: string): string {
  return `The agent ${quotedName(agent)} has used ${used}, and ends with that.`;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

function dollars(nanoUsd: number): string {
  const usd = nanoUsd / 1_000_000_000;
  return `$${usd.toFixed(usd < 0.1 ? 6 : 2)}`;
}
