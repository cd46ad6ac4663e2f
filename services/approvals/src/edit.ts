// What is needed to judge a call whose arguments somebody changes: the definitions that its run was started with, and the arguments in
// the form that its tool takes.
import {
  argumentsBytesMax,
  byteLength,
  canonicalArguments,
  canonicalJson,
  type Definitions,
  editableTool,
  failedPrecondition,
  invalidArgument,
  type Json,
  nameOfTarget,
  type OfferedTool,
} from '@stopgo/core';
import { fittedValue, processSchemaChecks, shownProblem } from '@stopgo/json-schema';
import { definitionsIn, type Loaded, loadDefinitions, storeLog } from '@stopgo/log';
import type { ApprovalsDependencies } from './dependencies.ts';

export type PreparedEdit = { readonly definitions: Definitions; readonly argumentsJson: string };

const noDefinitions: Definitions = { agents: new Map(), toolsets: new Map() };

/**
 * Reads what a change of arguments is judged by. Of an approval that is settled nothing is read: that is said first.
 *
 * @throws DomainError `invalid_argument` for what is no object, too long, or not what the tool takes; `failed_precondition` (reason=edit)
 *   for a call that cannot be changed.
 */
export async function prepareEdit(
  given: Pick<ApprovalsDependencies, 'store'>,
  { state }: Pick<Loaded, 'state'>,
  approvalId: string,
  argumentsJson: string,
  signal: AbortSignal,
): Promise<PreparedEdit> {
  const read = canonicalArguments(argumentsJson);
  if ('problem' in read) throw invalidArgument(read.problem);
  if (byteLength(read.json) > argumentsBytesMax)
    throw invalidArgument(`the arguments are longer than ${argumentsBytesMax} bytes`);
  const { run } = state;
  if (run?.status !== 'open') return { definitions: noDefinitions, argumentsJson: read.json };
  const definitions = await loadDefinitions(definitionsIn(storeLog(given.store), signal), run);
  const tool = editableTool(definitions, state, approvalId);
  if (tool === undefined) return { definitions, argumentsJson: read.json };
  if ('reason' in tool)
    throw failedPrecondition(`approval ${approvalId}: its arguments cannot be changed: ${tool.reason}`, {
      reason: 'edit',
    });
  return { definitions, argumentsJson: await fitted(tool, read.json) };
}

/** Checked and coerced as those of a model are. The bridge checks again. */
async function fitted(tool: OfferedTool, argumentsJson: string): Promise<string> {
  const schema = JSON.parse(tool.inputSchemaJson) as { readonly [key: string]: Json };
  const owner = { owner: nameOfTarget(tool.target), key: `${tool.pin} input` };
  const check = processSchemaChecks().checkOf(schema, owner);
  const taken = await fittedValue(schema, check, JSON.parse(argumentsJson) as Json);
  if ('value' in taken) return canonicalJson(taken.value);
  throw invalidArgument(`the arguments are not what ${tool.name} takes: ${shownProblem(taken.problem)}`);
}
