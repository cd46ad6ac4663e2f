import { parseJson } from '@stopgo/core';
import type { BoundedFetch } from '../bounded-fetch.ts';
import { isObject } from '../models/json.ts';
import { taskIdBytesMax } from './bounds.ts';
import { textOfJson } from './json-text.ts';
import type { Peer, RequestScope } from './peer.ts';
import { failureOf, protocolErrorOf } from './protocol-error.ts';
import { type RemoteAnswer, type RemoteTaskSeen, taskStateOf, textOfTask } from './remote-answer.ts';
import { questionsIn } from './remote-questions.ts';

/**
 * An agent of the time before versions: JSON-RPC with `message/send` and `tasks/get`, which answers when it is done. What is
 * sent can be read by one of 0.3 as well, and so can its answers here: an agent without a card may be either.
 */
export function legacyPeer(url: string, fetch: BoundedFetch): Peer {
  let lastId = 0;
  const call = async (method: string, params: object, { headers, signal }: RequestScope): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    const request = { jsonrpc: '2.0', id, method, params };
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    const body = parseJson(await response.text());
    if (!isObject(body)) throw new Error('the answer is no JSON-RPC');
    const error = isObject(body.error) ? protocolErrorOf(body) : undefined;
    if (error?.code !== undefined) throw failureOf(error.code, error.message);
    if (body.id !== id) throw new Error('the answer is to another request');
    return body.result;
  };
  return {
    async *send({ text, messageId, contextId, taskId, data }, scope) {
      const shown = data === undefined ? [] : [{ type: 'data', kind: 'data', data }];
      const parts = [{ type: 'text', kind: 'text', text }, ...shown];
      const message = { kind: 'message', role: 'user', messageId, ...(contextId === '' ? {} : { contextId }), parts };
      // The one of old has the task beside the message, 0.3 in it.
      const params = taskId === undefined ? { message } : { taskId, message: { ...message, taskId } };
      yield answerOf(await call('message/send', params, scope));
    },
    get: async (id, scope) => taskOf(await call('tasks/get', { id }, scope)),
    list: async () => undefined,
    cancel: async (id, scope) => void (await call('tasks/cancel', { id }, scope)),
  };
}

function answerOf(result: unknown): RemoteAnswer {
  if (isObject(result) && result.kind === 'message') return { kind: 'message', text: textOfParts(result.parts) };
  return { kind: 'task', task: taskOf(result) };
}

function taskOf(result: unknown): RemoteTaskSeen {
  const id = isObject(result) && typeof result.id === 'string' ? result.id : '';
  if (!isObject(result) || id === '' || Buffer.byteLength(id) > taskIdBytesMax)
    throw new Error('the answer holds no task that could be asked about');
  const status = isObject(result.status) ? result.status : {};
  const state = taskStateOf(status.state);
  // Either may be there: the one of old, or the list of 0.3.
  const artifacts = Array.isArray(result.artifacts) ? result.artifacts : [result.artifact];
  const results = artifacts.map((one) => (isObject(one) ? textOfParts(one.parts) : '')).filter((text) => text !== '');
  const { message } = status;
  const said = typeof message === 'string' ? message : isObject(message) ? textOfParts(message.parts) : '';
  const contextId = typeof result.contextId === 'string' ? result.contextId : '';
  const { parts, messageId } = isObject(message) ? message : {};
  const data = Array.isArray(parts)
    ? parts.flatMap((part) => (isObject(part) && 'data' in part ? [part.data] : []))
    : [];
  const asking = {
    id: typeof messageId === 'string' ? messageId : '',
    text: data.length > 0 ? textsOf(parts) : said,
    time: typeof status.timestamp === 'string' ? status.timestamp : '',
    data,
  };
  const text = textOfTask(state, results.join('\n'), said);
  return { id, contextId, state, text, questions: questionsIn(state, asking) };
}

function textsOf(parts: unknown): string {
  return textOfParts(Array.isArray(parts) ? parts.filter((part) => isObject(part) && part.data === undefined) : []);
}

function textOfParts(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .map((part) => {
      if (!isObject(part)) return '';
      if (typeof part.text === 'string') return part.text;
      return textOfJson(part.data) ?? '';
    })
    .filter((text) => text !== '')
    .join('\n');
}
