import type { RequestId } from '@modelcontextprotocol/client';
import type { LineEnds } from './line-reader.ts';

/** How JSON-RPC answers begin or end, where the id is not in the middle of them. */
const atStart = /^\{(?:"jsonrpc":\s?"2\.0",\s?)?"id":\s?(\d+),/u;
const atEnd = /,\s?"id":\s?(\d+)(?:,\s?"jsonrpc":\s?"2\.0")?\}\s*$/u;

/** The id of an answer that was too large to be kept, if how it began and ended shows it. */
export function idOfSkipped({ head, tail }: LineEnds): RequestId | undefined {
  const id = atStart.exec(head)?.[1] ?? atEnd.exec(tail)?.[1];
  return id === undefined ? undefined : Number(id);
}
