import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Json } from '@stopgo/core';
import type { DefinedTool } from '../tools/tool-definitions.ts';

/**
 * What is wrong with the structured part of a result, by what the tool promises; undefined if nothing is. A result without
 * one is taken: its text says the same, or there was nothing to structure.
 */
export async function resultMismatch(
  { outputCheck }: Pick<DefinedTool, 'outputCheck'>,
  { isError, structuredContent }: Pick<CallToolResult, 'isError' | 'structuredContent'>,
): Promise<string | undefined> {
  if (isError === true || structuredContent === undefined) return undefined;
  return outputCheck?.(structuredContent as Json);
}
