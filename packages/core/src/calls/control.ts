/** Tools of the platform itself. */

import { controlTools } from './control/tools.ts';
import type { CallKind } from './kind.ts';
import { ownTool } from './own-tool.ts';

const all = [...controlTools.values()].map((tool) => ({
  tool,
  offer: ownTool({ ...tool, target: { kind: 'control' } }, { readOnly: true }),
}));

/** Done when it is asked for: its result follows from the event that records the call. */
export const controlKind = {
  noun: 'the tool',
  offers: (place) => all.filter(({ tool }) => tool.isOffered(place)).map(({ offer }) => offer),
  problemOf: () => undefined,
} as const satisfies CallKind;
