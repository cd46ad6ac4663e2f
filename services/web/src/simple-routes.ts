import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendError } from './answers.ts';
import { bodyBytesMax } from './bounds.ts';
import type { Send } from './forward.ts';

/** Routes of few words for small clients, each of which is one request to the gateway. */
type SimpleRoute = (send: Send, req: IncomingMessage, res: ServerResponse) => Promise<void> | void;

const conversationPath = '/api/conversation/';

/** The route that a request is for; undefined if it is for none of them. */
export function simpleRouteOf(method: string, path: string): SimpleRoute | undefined {
  if (method === 'POST' && path === '/api/send') return begin;
  if (method === 'POST' && path === '/api/approve') return approve;
  if (method === 'GET' && path.startsWith(conversationPath))
    return (send) => send({ method: 'GET', path: `/conversations/${path.slice(conversationPath.length)}` });
  return undefined;
}

const begin: SimpleRoute = async (send, req, res) => {
  const body = await jsonOf(req);
  if (body === undefined) return sendError(res, 400, 'invalid request');
  const { message, conversation_id: id } = body;
  if (typeof message !== 'string' || message.trim() === '') return sendError(res, 400, 'message is required');
  const isNew = id === undefined || id === null || id === '';
  if (!isNew && typeof id !== 'string') return sendError(res, 400, 'invalid request');
  const path = isNew ? '/conversations' : `/conversations/${encodeURIComponent(String(id))}/messages`;
  send({ method: 'POST', path, body: JSON.stringify({ message }) });
};

const approve: SimpleRoute = async (send, req, res) => {
  const body = await jsonOf(req);
  if (body === undefined) return sendError(res, 400, 'invalid request');
  const { uuid, approved } = body;
  if (typeof uuid !== 'string' || uuid === '') return sendError(res, 400, 'uuid is required');
  // What is missing is no decision: nobody rejects by leaving a word out.
  if (typeof approved !== 'boolean') return sendError(res, 400, 'approved is required: true or false');
  send({ method: 'POST', path: `/approvals/${encodeURIComponent(uuid)}`, body: JSON.stringify({ approved }) });
};

/** The JSON object in a body; undefined for anything else. */
async function jsonOf(req: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bodyBytesMax) return undefined;
    pieces.push(piece);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
