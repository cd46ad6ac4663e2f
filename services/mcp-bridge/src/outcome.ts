import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { mcp } from '@stopgo/proto';
import type { ResultText } from './content.ts';
import type { DefinedTool } from './tool-definitions.ts';

/** What became of an attempt, in the words of the contract. */
export type Outcome = mcp.ExecuteResponse;

/** The call ran, or failed in a way that the model should read. */
export function finished(result: ResultText, isError: boolean, durationMs: number): Outcome {
  const value: MessageInitShape<typeof mcp.FinishedSchema> = {
    content: result.text,
    isError,
    fullBytes: BigInt(result.cut?.fullBytes ?? 0),
    sha256: result.cut?.sha256 ?? '',
    durationMs: Math.max(0, Math.round(durationMs)),
  };
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'finished', value } });
}

/** The attempt certainly did not run. */
export function refused(reason: mcp.RefusedReason, message: string, tool?: DefinedTool): Outcome {
  const value: MessageInitShape<typeof mcp.RefusedSchema> = {
    reason,
    message,
    ...(tool === undefined ? {} : { tool: toolMessage(tool) }),
  };
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'refused', value } });
}

/** Nobody can tell whether the attempt ran. */
export function unknown(message: string): Outcome {
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'unknown', value: { message } } });
}

/** A tool as the contract describes it. */
export function toolMessage(tool: DefinedTool): MessageInitShape<typeof mcp.ToolSchema> {
  const { server, name, description, inputSchemaJson, annotationsJson, definitionJson, pin, hints } = tool;
  return {
    server,
    name,
    description,
    inputSchemaJson,
    annotationsJson,
    definitionJson,
    pin,
    hints: { ...hints },
    approvalRequired: tool.approvalRequired,
    forwardsBearer: tool.forwardsBearer,
  };
}
