// HTTP+JSON of 0.3 and of 1.0 look alike, and data is wrapped in the one and anything in the other: `{ "data": { "data": { … } } }` is
// a part of either. So what stands beside it tells: an answer that shows its version, or an earlier one of the same stream, or the place.

import { isObject } from '../dialect.ts';
import { modernPart } from '../parts-0-3.ts';

type Version = '0.3' | '1.0';
type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the answers that come from one request over HTTP+JSON, each into the words of 1.0. `url` is what was asked: 0.3 has all its methods
 * below `/v1`, which decides where no answer shows its version.
 */
export function answersFrom(url: string): (json: unknown) => unknown {
  let version: Version = /\/v1\/(?:message:|tasks\b)/.test(url) ? '0.3' : '1.0';
  return (json) => {
    const shown = new Set(versionsIn(json));
    if (shown.has('0.3')) version = '0.3';
    else if (shown.has('1.0')) version = '1.0';
    return version === '0.3' ? modernAnswer(json) : json;
  };
}

/**
 * What HTTP+JSON of 0.3 answers, in the words of 1.0: by its protocol buffers messages name their parts `content`, data is wrapped, files
 * are named otherwise, and one state is spelled otherwise.
 */
function modernAnswer(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(modernAnswer);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      if (name === 'metadata') return [name, value];
      if (name === 'state' && value === canceledIn03) return [name, 'TASK_STATE_CANCELED'];
      const parts = partsIn(json, name);
      return parts === undefined ? [name, modernAnswer(value)] : ['parts', parts.map(part)];
    }),
  );
}

const canceledIn03 = 'TASK_STATE_CANCELLED';

/** The parts that a member holds; undefined if it is none that holds parts. */
function partsIn(json: Json, name: string): readonly unknown[] | undefined {
  const value = json[name];
  const isParts = name === 'parts' || (name === 'content' && 'messageId' in json);
  return isParts && Array.isArray(value) ? value : undefined;
}

/** Parts that say their kind are those of JSON-RPC. */
function part(json: unknown): unknown {
  if (!isObject(json) || 'kind' in json || 'type' in json) return json;
  return isWrapped(json.data) || isObject(json.file) ? modernPart(json) : json;
}

function isWrapped(data: unknown): boolean {
  return isObject(data) && isObject(data.data) && Object.keys(data).length === 1;
}

/** The versions whose words an answer has that the other has not. */
function* versionsIn(json: unknown): Generator<Version, void> {
  if (Array.isArray(json)) for (const one of json) yield* versionsIn(one);
  if (!isObject(json)) return;
  if ('msg' in json || json.state === canceledIn03 || ('taskId' in json && 'final' in json)) yield '0.3';
  for (const [name, value] of Object.entries(json)) {
    const parts = partsIn(json, name);
    if (parts === undefined && name !== 'metadata') yield* versionsIn(value);
    if (parts !== undefined && 'messageId' in json) yield name === 'content' ? '0.3' : '1.0';
    for (const one of parts ?? []) yield* versionsOfPart(one);
  }
}

function* versionsOfPart(json: unknown): Generator<Version, void> {
  if (!isObject(json) || 'kind' in json || 'type' in json) return;
  if (isObject(json.file)) yield '0.3';
  if (['mediaType', 'filename', 'raw', 'url'].some((name) => name in json)) yield '1.0';
  if ('data' in json && !isWrapped(json.data)) yield '1.0';
}
