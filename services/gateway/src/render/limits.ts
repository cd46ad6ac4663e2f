import { type LimitUse, limitNames, limitUsesFromWire, type NewLimit, newLimitToWire } from '@stopgo/core/limits';
import type { views } from '@stopgo/proto';
import type { z } from 'zod';
import { nanoPerUsd, type newLimits } from '../api/new-limits.ts';
import type { Answer } from '../json-text.ts';

/** What a request lets an agent use, as the services are told it. */
export function newLimitsToWire(limits: z.output<typeof newLimits>) {
  const { max_tokens: tokens, max_cost: dollars, max_agent_calls: calls } = limits ?? {};
  const cost = dollars === undefined || dollars === null ? undefined : Math.round(dollars * nanoPerUsd);
  const all = { tokens, cost, agent_calls: calls } satisfies Record<NewLimit['kind'], number | null | undefined>;
  return (Object.entries(all) as [NewLimit['kind'], number | null | undefined][]).flatMap(([kind, most]) =>
    most === undefined || most === null ? [] : [newLimitToWire({ kind, most })],
  );
}

/** What an agent has used up, in the units of its limits; undefined if nothing is known of it. */
export function renderReached(reached: views.PausedRun['reached']): Answer | undefined {
  const uses = limitUsesFromWire(reached).map(({ kind, ...use }) => [limitNames[kind], inUnits(kind, use)] as const);
  return uses.length === 0 ? undefined : Object.fromEntries(uses);
}

/** What people let an agent use, in the units of its limits; undefined if they have not. */
export function renderLimits(limits: readonly NewLimit[] = []): Answer | undefined {
  if (limits.length === 0) return undefined;
  return Object.fromEntries(
    limits.map(({ kind, most }) => [limitNames[kind], kind === 'cost' ? most / nanoPerUsd : most]),
  );
}

const inUnits = (kind: NewLimit['kind'], { used, most }: Omit<LimitUse, 'kind'>): Answer =>
  kind === 'cost' ? { used: used / nanoPerUsd, most: most / nanoPerUsd } : { used, most };
