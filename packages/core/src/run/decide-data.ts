/** What the agents of a run share: what a call of one of them does to it, and is told of it. */
import type { DataRequest } from '../calls/data.ts';
import { finished } from '../calls/finished.ts';
import { type Fact, fact } from '../events/facts.ts';
import { holdsWords } from '../memory/decide-memory.ts';
import type { RunData, SharedValue } from '../state/run-data.ts';
import type { CallState, RunState } from '../state/state.ts';
import { isUnderWay } from '../state/work.ts';
import { runDataAnswerBytesMax, runDataBytesMax, runDataKeysMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { quotedName } from '../text/visible.ts';

/** A call uses what the agents of its run share. It is done once this is on the record, in the order of that. */
export type UseData = {
  readonly type: 'useData';
  readonly callId: string;
  readonly attempt: number;
  /** What its arguments ask for. */
  readonly request: DataRequest;
  /** Values that it reads, in canonical form, by the revision at which each was written: at least those that {@link valuesNeeded} names. */
  readonly values: ReadonlyMap<number, string>;
  readonly durationMs: number;
};

/** Keys that an agent is told of when it asks for one that is not there. */
const keysTold = 20;

/** What a call is told, and what it changes. */
type Answer = { readonly content: string; readonly isError?: true; readonly change?: Fact };

/** The values that have to be read for what a call asks for. */
export function valuesNeeded(data: RunData, request: DataRequest): RunData {
  if (request.type === 'read') return data.filter(({ key }) => key === request.key);
  return request.type === 'query' ? data.filter(({ key }) => key.startsWith(request.prefix)) : [];
}

/**
 * The facts that a call leaves: what it changes, and its result. None if it is not to be done (any more), or if something else was written
 * meanwhile than what was read for it.
 */
export function dataUsed(run: RunState, { callId, attempt, request, values, durationMs }: UseData): Fact[] {
  const call = run.calls[callId];
  if (call?.target?.kind !== 'data' || !isUnderWay(call, attempt)) return [];
  const { data = [] } = run;
  if (valuesNeeded(data, request).some(({ writtenAt }) => !values.has(writtenAt))) return [];
  const { content, isError = false, change } = answerTo(request, data, values, run.id, call);
  const { stepId, tool } = call;
  const outcome = { type: 'callFinished', callId, attempt, tool, content, isError, durationMs } as const;
  const result = finished({ runId: run.id, stepId, callId, attempt }, outcome);
  return change === undefined ? [result] : [change, result];
}

function answerTo(
  request: DataRequest,
  data: RunData,
  values: UseData['values'],
  runId: string,
  { id: callId, stepId, revision: callRevision, target }: CallState,
): Answer {
  const agent = target?.kind === 'data' ? target.agent : '';
  const place = { runId, stepId, callId, agent };
  switch (request.type) {
    case 'write': {
      const { key, valueJson } = request;
      const bytes = byteLength(key) + byteLength(valueJson);
      const why = whyNoRoom(
        data.filter((one) => one.key !== key),
        bytes,
      );
      if (why !== undefined) return failed(`Nothing was written: ${why}.`);
      return { content: 'Written.', change: fact('runDataWritten', { ...place, callRevision, key, bytes }) };
    }
    case 'delete':
      return isThere(data, request.key)
        ? { content: 'Deleted.', change: fact('runDataDeleted', { ...place, key: request.key }) }
        : failed(nothingUnder(data, request.key));
    case 'read': {
      const [found] = valuesNeeded(data, request);
      return found === undefined
        ? failed(nothingUnder(data, request.key))
        : { content: values.get(found.writtenAt) ?? '' };
    }
    case 'list': {
      const keys = data.filter(({ key }) => key.startsWith(request.prefix)).map(({ key, bytes }) => ({ key, bytes }));
      return {
        content: listed(
          keys.sort(byKey).map((one) => JSON.stringify(one)),
          keys.length,
        ),
      };
    }
    case 'query': {
      const { words, limit } = request;
      const all = valuesNeeded(data, request).map(({ key, writtenAt }) => ({
        key,
        valueJson: values.get(writtenAt) ?? '',
      }));
      const found = all.filter((one) => holdsWords(one, words)).sort(byKey);
      const told = found
        .slice(0, limit)
        .map(({ key, valueJson }) => `{"key":${JSON.stringify(key)},"value":${valueJson}}`);
      return { content: listed(told, found.length) };
    }
    case 'malformed':
      return failed(`The arguments are not what the tool takes: ${request.problem}.`);
  }
}

const failed = (content: string): Answer => ({ content, isError: true });

const isThere = (data: RunData, key: string): boolean => data.some((one) => one.key === key);

const byKey = (a: Pick<SharedValue, 'key'>, b: Pick<SharedValue, 'key'>): number => (a.key < b.key ? -1 : 1);

/** As many of these as fit an answer, and how many do not. */
function listed(all: readonly string[], found: number): string {
  const told: string[] = [];
  let bytes = 0;
  for (const one of all) {
    bytes += byteLength(one) + 1;
    if (bytes > runDataAnswerBytesMax) break;
    told.push(one);
  }
  const more = found - told.length;
  return `{"found":[${told.join(',')}]${more === 0 ? '' : `,"left_out":${more}`}}`;
}

function whyNoRoom(others: RunData, more: number): string | undefined {
  if (others.length >= runDataKeysMax)
    return `this run has ${others.length} keys already, which is the most; delete one, or write under one of them`;
  const bytes = others.reduce((sum, one) => sum + one.bytes, 0) + more;
  if (bytes <= runDataBytesMax) return undefined;
  return `keys and values of a run have at most ${runDataBytesMax} bytes, and with this one they would have ${bytes}; write a shorter one, or delete what is not needed`;
}

function nothingUnder(data: RunData, key: string): string {
  const what = `Nothing is shared under ${quotedName(key)}`;
  const keys = data.map((one) => one.key).sort();
  if (keys.length === 0) return `${what}, nor under any other key.`;
  const told = keys.slice(0, keysTold).map(quotedName).join(', ');
  const more = keys.length > keysTold ? ` and ${keys.length - keysTold} more` : '';
  return `${what}; there ${keys.length === 1 ? 'is' : 'are'} ${told}${more}.`;
}
