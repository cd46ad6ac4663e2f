// What is needed to judge a call whose arguments somebody changes: the definitions that its run was started with, and the arguments in
// the form that its tool takes.
import {
  agentFromDefinition,
  agentStream,
  argumentsBytesMax,
  byteLength,
  canonicalArguments,
  canonicalJson,
  type Definitions,
  DomainError,
  definedAs,
  editableTool,
  failedPrecondition,
  invalidArgument,
  type Json,
  nameOfTarget,
  type OfferedTool,
  pinsOfToolset,
  policyFromDefinition,
  policyStream,
  type StreamName,
  toolStream,
  toolsetFromDefinition,
  toolsetStream,
} from '@stopgo/core';
import { fittedValue, processSchemaChecks, shownProblem } from '@stopgo/json-schema';
import { type ConversationLog, type Loaded, storeLog } from '@stopgo/log';
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
  const definitions = await definitionsOf(storeLog(given.store), run, signal);
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

type Named = { readonly agentDigest: string; readonly toolsetDigest: string; readonly policyDigest?: string };

async function definitionsOf(log: ConversationLog, run: Named, signal: AbortSignal): Promise<Definitions> {
  const { policyDigest } = run;
  const [agent, toolset, policy] = await Promise.all([
    only(log, agentStream(run.agentDigest), signal),
    only(log, toolsetStream(run.toolsetDigest), signal),
    policyDigest === undefined ? undefined : only(log, policyStream(policyDigest), signal),
  ]);
  const pins = [...new Set(pinsOfToolset(toolset))];
  const tools = await Promise.all(pins.map(async (pin) => [pin, await only(log, toolStream(pin), signal)] as const));
  return definedAs(run, {
    agent: agentFromDefinition(agent),
    tools: toolsetFromDefinition(toolset, new Map(tools)),
    ...(policy === undefined ? {} : { policy: policyFromDefinition(policy) }),
  });
}

async function only(log: ConversationLog, stream: StreamName, signal: AbortSignal): Promise<string> {
  for await (const { fact } of log.read(stream, 1, signal))
    if ('definitionJson' in fact.value) return fact.value.definitionJson;
  throw new DomainError(
    'unavailable',
    `the log does not show ${stream}, by which the changed call is judged: try again`,
  );
}
