import { facts } from '@stopgo/proto';
import { recordedTarget } from '../events/target.ts';
import type { CallState } from '../state/state.ts';

/** A call as it stands when it is recorded, by the event at a revision. */
export function newCall(call: facts.Call, stepId: string, revision: number): CallState {
  const target = recordedTarget(call);
  const common = {
    id: call.callId,
    stepId,
    tool: call.tool,
    ...(target === undefined ? {} : { target }),
    pin: call.pin,
    digest: call.digest,
    repeatable: call.repeatable,
    gated: call.disposition === facts.Disposition.GATED,
    ...(call.rule === '' ? {} : { rule: call.rule }),
    revision,
    attempt: 0,
    asked: 0,
    pinChanges: 0,
  };
  switch (call.disposition) {
    case facts.Disposition.ALLOWED:
      return { ...common, phase: 'ready' };
    case facts.Disposition.GATED:
    case facts.Disposition.AUTO_APPROVED:
      return { ...common, phase: 'waiting' };
    case facts.Disposition.CONTROL:
      return { ...common, phase: 'done', outcome: 'control', resultRevision: revision };
    default:
      return { ...common, phase: 'done', outcome: 'refused', resultRevision: revision };
  }
}
