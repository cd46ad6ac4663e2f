import {
  DomainError,
  pinsOfToolset,
  type StreamName,
  type Toolset,
  toolStream,
  toolsetFromDefinition,
  toolsetStream,
} from '@stopgo/core';
import type { ConversationLog } from './conversation-log.ts';

type Reading = Pick<ConversationLog, 'read'>;

/**
 * The definition that a stream holds which is named by its digest, as canonical JSON.
 *
 * @throws DomainError `unavailable` if the log does not show it.
 */
export async function recordedDefinition(log: Reading, stream: StreamName, signal?: AbortSignal): Promise<string> {
  for await (const { fact } of log.read(stream, 1, signal))
    if ('definitionJson' in fact.value) return fact.value.definitionJson;
  // It was recorded before the run began: a reader that lags behind does not show it yet, or the log has lost it.
  throw new DomainError(
    'unavailable',
    `the log does not show ${stream}, a definition that this run was started with: the run goes on once the log shows it; if this stays, run \`stopgo verify\`: a stream that is gone is restored from a backup`,
  );
}

/** A set of tools by its digest, with the definition of each of its tools. Throws as {@link recordedDefinition} does. */
export async function recordedToolset(log: Reading, digest: string, signal?: AbortSignal): Promise<Toolset> {
  const definition = await recordedDefinition(log, toolsetStream(digest), signal);
  const pins = [...new Set(pinsOfToolset(definition))];
  const tools = pins.map(async (pin) => [pin, await recordedDefinition(log, toolStream(pin), signal)] as const);
  return toolsetFromDefinition(definition, new Map(await Promise.all(tools)));
}
