import { argumentsBytesMax, byteLength, canonicalJson, type Json, lossProblem, parseJson } from '@stopgo/core';
import type { Standing, Waits } from '@stopgo/log';
import type { mcp } from '@stopgo/proto';
import type { SecretFilter } from '@stopgo/security';
import type { BridgeBounds } from '../bounds.ts';
import type { Accounts } from '../connections/accounts.ts';
import type { ServerConnection } from '../servers/server-connection.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import type { AttemptWatch } from './attempts.ts';
import type { BlobKeeper } from './blob-keeper.ts';
import type { Credentials } from './gate.ts';
import type { Tickets } from './tickets.ts';

/** What an attempt needs to be made. */
export type ExecutorDependencies = {
  readonly server: (name: string) => ServerConnection | undefined;
  /** What runs wait for here: told to whoever reads their conversations. */
  readonly waits?: Waits;
  /** Whether this bridge may still act under the id that an attempt is for. */
  readonly standing: Standing;
  /** The tool as the catalogue has it now, also one that is held. */
  readonly tool: (server: string, name: string) => CatalogueTool | undefined;
  readonly tickets: Tickets;
  readonly blobs: BlobKeeper;
  /** The credentials of all servers, none of which is told those of another, and those of the platform. */
  readonly secrets: SecretFilter;
  /** The accounts that users have connected at servers. */
  readonly accounts: Pick<Accounts, 'token' | 'renewed'>;
  readonly bounds: BridgeBounds;
  /** Is told of errors that should not exist, as text. */
  readonly onDefect: (trace: string) => void;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
};

/** The arguments of a call. */
export type Arguments = { readonly [key: string]: Json };

/** A call whose server and arguments are known. */
export type Call = {
  readonly request: mcp.ExecuteRequest;
  readonly server: ServerConnection;
  readonly arguments: Arguments;
  /** The caller's token, if the server is to get it. Of a connected account it is had when the call's turn has come, and may be refreshed. */
  token: string | undefined;
  readonly watch: AttemptWatch;
};

/** What stands for the key of a request that names none: nothing is on the record of it. */
export const noKey = { conversationId: '', runId: '', callId: '' };

/** The tool of a call as the catalogue has it now. */
export function toolOf(
  { request: { server, tool } }: Call,
  dependencies: Pick<ExecutorDependencies, 'tool'>,
): CatalogueTool | undefined {
  return dependencies.tool(server, tool);
}

/** What a request brings along to be let through. */
export function credentialsOf(request: mcp.ExecuteRequest): Credentials {
  const { pin, approvalId, digest, argumentsJson, instance } = request;
  return { pin, approvalId, digest, argumentsJson, instance, attempt: request.key?.attempt ?? 0 };
}

/**
 * How old the list of tools may be, in milliseconds, where its server tells no changes. People have approved the tool as it was: its
 * server is asked what it is now.
 */
export function listFreshMsOf(
  { request }: Call,
  bounds: Pick<BridgeBounds, 'listFreshMs' | 'approvedListFreshMs'>,
): number {
  return request.approvalId === '' ? bounds.listFreshMs : bounds.approvedListFreshMs;
}

/** The arguments that a text holds, or why they are none. */
export function parseArguments(text: string): Arguments | string {
  const bytes = byteLength(text);
  if (bytes > argumentsBytesMax) return `the arguments have ${bytes} bytes; at most ${argumentsBytesMax} are allowed`;
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return 'the arguments are not a JSON object';
  }
  try {
    // Half a character cannot be part of a digest, and could not be sent either.
    canonicalJson(parsed);
  } catch {
    return 'the arguments hold text that is not valid Unicode';
  }
  // What would not be sent as it stands there was shown to people otherwise than it would arrive.
  const loss = lossProblem(text);
  if (loss !== undefined) return `the arguments cannot be sent as they are: ${loss}`;
  return parsed as Arguments;
}
