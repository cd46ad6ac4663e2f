import { definitionChanges } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { type Answer, RawJson } from '../json-text.ts';

/** A tool that is held, as people are shown it: what it is now, what was accepted, and every difference. */
export function renderHeldTool({ tool, acceptedDefinitionJson, acceptedPin }: mcp.HeldTool): Answer {
  const { server = '', name = '', pin = '', definitionJson = '', hints, pinState } = tool ?? {};
  return {
    server,
    name,
    state: pinState === mcp.PinState.NEW ? 'new' : 'changed',
    pin,
    accepted_pin: acceptedPin === '' ? undefined : acceptedPin,
    destructiveHint: hints?.destructive === true,
    changes: definitionChanges(acceptedDefinitionJson, definitionJson),
    definition: RawJson.from(definitionJson),
    accepted_definition: RawJson.from(acceptedDefinitionJson),
  };
}
