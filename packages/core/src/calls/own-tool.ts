import type { OfferedTool } from '../agent/definition.ts';
import { sha256Hex } from '../text/digest.ts';
import { canonicalJson } from '../text/json.ts';

/** A tool of the platform itself, as it is offered: nothing outside changes it, so that its pin is a digest of what is said of it. */
export function ownTool(
  told: Pick<OfferedTool, 'name' | 'description' | 'inputSchemaJson' | 'target'>,
  { readOnly }: { readonly readOnly: boolean },
): OfferedTool {
  const { name, description, inputSchemaJson, target } = told;
  return {
    ...{ target, name, description, inputSchemaJson },
    pin: sha256Hex(canonicalJson({ name, description, inputSchemaJson })),
    // A repeat does nothing: each call has its own place in the record.
    hints: { readOnly, destructive: false, idempotent: true, openWorld: false },
    approvalRequired: false,
    forwardsBearer: false,
  };
}
