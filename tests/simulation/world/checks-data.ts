import { dataRequestOf } from '@stopgo/core/shared-data';
import type { facts as wire } from '@stopgo/proto';
import { type Stream, short } from './event-store.ts';
import type { World } from './world.ts';

/** What the agents of a run share, as the record tells it: values by key, each with the agent's work that wrote it. */
type Shared = Map<string, { readonly valueJson: string; readonly stepId: string }>;

/**
 * Rule p: what an agent writes is shared once, as it said, in one append with its result; what it reads is what was written last before on
 * the record of the same run.
 */
export function checkSharedData(world: World, stream: Stream): void {
  const calls = new Map<string, { readonly call: wire.Call; readonly stepId: string }>();
  const changed = new Set<string>();
  let shared: Shared = new Map();
  let revision = 0;
  const wrong = (what: string): void => world.violation('p', `${short(stream.name)} event ${revision}: ${what}`);
  for (const { fact } of stream.facts) {
    revision += 1;
    switch (fact.case) {
      case 'runStarted':
        calls.clear();
        changed.clear();
        shared = new Map();
        break;
      case 'modelResponded':
        for (const call of fact.value.calls)
          if (call.sharedBy !== '') calls.set(call.callId, { call, stepId: fact.value.stepId });
        break;
      case 'runDataWritten':
      case 'runDataDeleted': {
        const { callId, key } = fact.value;
        const asked = calls.get(callId);
        const request = asked && dataRequestOf(asked.call.tool, asked.call.argumentsJson);
        if (changed.has(callId)) wrong(`${callId} changes what is shared again`);
        changed.add(callId);
        const next = stream.facts[revision]?.fact;
        if (next?.case !== 'toolCallFinished' || next.value.callId !== callId || !isOneAppend(stream, revision))
          wrong(`${callId} changes what is shared, and is not told so by the same append`);
        if (fact.case === 'runDataWritten' && request?.type === 'write' && request.key === key) {
          shared.set(key, { valueJson: request.valueJson, stepId: asked?.stepId ?? '' });
          world.count('values shared');
        } else if (fact.case === 'runDataDeleted' && request?.type === 'delete' && request.key === key) {
          shared.delete(key);
          world.count('values deleted');
        } else wrong(`${callId} did not ask for this`);
        break;
      }
      case 'toolCallFinished': {
        const { callId, content, isError, late } = fact.value;
        const asked = calls.get(callId);
        if (asked === undefined || late) break;
        const request = dataRequestOf(asked.call.tool, asked.call.argumentsJson);
        if (request.type === 'read') {
          const there = shared.get(request.key);
          if (isError ? there !== undefined : there?.valueJson !== content)
            wrong(`${callId} reads ${content}, and there is ${there?.valueJson}`);
          world.count(isError ? 'values missed' : 'values read');
          if (there !== undefined && there.stepId !== asked.stepId) world.count('values of another agent read');
        } else if ((request.type === 'write' || request.type === 'delete') && !isError !== changed.has(callId))
          wrong(`${callId} is told ${content}`);
        break;
      }
      default:
    }
  }
}

/** Whether the event of a revision and the next one were appended together. */
const isOneAppend = ({ made }: Stream, revision: number): boolean =>
  made.some(({ firstRevision, lastRevision }) => firstRevision <= revision && revision < lastRevision);
