/** Tools of the platform itself. */

import type { OfferedTool } from '../agent/definition.ts';
import { sha256Hex } from '../text/digest.ts';
import { canonicalJson } from '../text/json.ts';
import type { ControlTool } from './control/control-tool.ts';
import { controlTools } from './control/tools.ts';
import type { CallKind } from './kind.ts';

function offered({ name, description, inputSchemaJson }: ControlTool): OfferedTool {
  return {
    target: { kind: 'control' },
    name,
    description,
    inputSchemaJson,
    pin: sha256Hex(canonicalJson({ name, description, inputSchemaJson })),
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    approvalRequired: false,
    forwardsBearer: false,
  };
}

const all = [...controlTools.values()].map((tool) => ({ tool, offer: offered(tool) }));

/** Done when it is asked for: its result follows from the event that records the call. */
export const controlKind = {
  noun: 'the tool',
  offers: (place) => all.filter(({ tool }) => tool.isOffered(place)).map(({ offer }) => offer),
  problemOf: () => undefined,
} as const satisfies CallKind;
