import { createHash } from 'node:crypto';
import {
  type BlobRef,
  type ConversationState,
  DomainError,
  type InputAction,
  isUuid,
  mediaTypeOf,
  type ProvideDecision,
  provideInput,
  requireReach,
  type SettledInput,
  unavailable,
} from '@stopgo/core';
import { clientKey, idempotencyFromWire, recordedOf, transact } from '@stopgo/log';
import { facts, type orchestrator as wire } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import type { KeepBlob } from './blobs.ts';
import { actorOf } from './caller.ts';
import type { Registry } from './driver/run/registry.ts';
import { handedOn } from './handed-on.ts';
import type { Turn, Turns } from './turns.ts';

const actions: Readonly<Partial<Record<facts.InputAction, InputAction>>> = {
  [facts.InputAction.ACCEPT]: 'accept',
  [facts.InputAction.DECLINE]: 'decline',
  [facts.InputAction.CANCEL]: 'cancel',
};

/**
 * Records a person's answer to the question of a tool server or of an agent. Whoever drives the run, here or elsewhere, hands it over;
 * the answer of this call waits for what the run comes to.
 *
 * @throws DomainError `not_found`, `invalid_argument`, or `failed_precondition` with what became of the question.
 */
export async function provide(
  { registry, keepBlob }: { readonly registry: Registry; readonly keepBlob: KeepBlob },
  turns: Turns,
  request: wire.ProvideInputRequest,
  context: CallContext,
): Promise<Turn> {
  const { conversationId, inputId, contentJson } = request;
  const action = actions[request.action];
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  if (!isUuid(inputId)) throw refusal(conversationId, inputId, { kind: 'unknown' });
  if (action === undefined) throw new DomainError('invalid_argument', 'action must be accept, decline or cancel');
  const idempotency = idempotencyFromWire(request.idempotency);
  const keys = idempotency === undefined ? [] : [clientKey(idempotency)];
  let loaded = await registry.load(conversationId, keys).catch((error: unknown) => {
    throw error instanceof DomainError && error.kind === 'not_found' ? conversationNotFound(conversationId) : error;
  });
  requireReach(context.principal, 'input.provide', loaded.state);
  const file = request.file && fileOf(request.file);
  const answer = {
    ...{ inputId, action, contentJson, file, sessionId: context.sessionId, now: registry.ports.clock.now() },
    ...(idempotency === undefined ? {} : { idempotency }),
  };
  const isKept = file === undefined || (await keptFor(answer, loaded.state, request.file?.bytes, keepBlob));
  // Somebody was faster: what became of the question is on the record by now.
  if (!isKept) loaded = await registry.load(conversationId, keys);
  const done = await transact(registry.ports, loaded, {
    actor: actorOf(request.caller),
    ...(idempotency === undefined ? {} : { idempotency }),
    looks: true,
    decide: (state): Provided => {
      const decision = provideInput(state, answer);
      // No event names what is not kept.
      return decision.kind === 'append' && !isKept ? { kind: 'unkept' } : decision;
    },
    factsOf: (decision: Provided) => (decision.kind === 'append' ? decision.facts : undefined),
  });
  if (done.kind === 'refused') throw refusal(conversationId, inputId, done.decision);
  const waitMs = request.wait?.milliseconds ?? 0;
  if (done.kind === 'repeated') return turns.ofPast(done.state, done.firstRevision, done.lastRevision, waitMs);
  const made = recordedOf(done.append);
  await registry.resume(conversationId, handedOn(context, loaded.state), made);
  const driver = registry.driver(conversationId);
  await driver?.reached(made.at(-1)?.revision ?? 0);
  const state = driver?.state ?? (await registry.load(conversationId)).state;
  return driver === undefined ? turns.ofState(state, waitMs) : turns.ofDriver(driver, waitMs);
}

/** `unkept`: the question waits, and the store did not show that yet when the file was to be kept for it. */
type Provided = ProvideDecision | { readonly kind: 'unkept' };

/** A file as the record names it. */
function fileOf({ name, mediaType, bytes }: wire.GivenFile): BlobRef {
  const digest = createHash('sha256').update(bytes).digest('hex');
  return {
    digest,
    mediaType: mediaTypeOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), mediaType),
    size: bytes.byteLength,
    name,
  };
}

/** Whether the bytes of a file are kept; they are not unless the question asks for them. */
async function keptFor(
  answer: Parameters<typeof provideInput>[1],
  state: ConversationState,
  bytes: Uint8Array = new Uint8Array(),
  keepBlob: KeepBlob,
): Promise<boolean> {
  const asked = state.run?.interrupts[answer.inputId];
  if (state.run === null || asked?.kind !== 'request' || provideInput(state, answer).kind !== 'append') return false;
  return keepBlob({ conversationId: state.id, runId: state.run.id, callId: asked.callId }, bytes);
}

function conversationNotFound(conversationId: string): DomainError {
  return new DomainError('not_found', `conversation not found: ${conversationId}`);
}

function refusal(conversationId: string, inputId: string, decision: Provided): DomainError {
  switch (decision.kind) {
    case 'unkept':
      return unavailable('the file was not kept, as the store did not show yet what waits for it; try again');
    case 'invalid':
      return new DomainError('invalid_argument', decision.problem);
    case 'token':
      return new DomainError(
        'failed_precondition',
        `the run waits for a bearer token: send a message to conversation ${conversationId} with one`,
        { details: { reason: 'token' } },
      );
    case 'settled':
      return settledRefusal(inputId, decision.input);
    default:
      return new DomainError(
        'not_found',
        `conversation ${conversationId} asks no question ${inputId}: there was none, or another run has followed`,
      );
  }
}

const words: Readonly<Record<SettledInput['how'], string>> = {
  accept: 'accepted',
  decline: 'declined',
  cancel: 'canceled',
  withdrawn: 'withdrawn',
};

function settledRefusal(inputId: string, { how, by, at: time, reason = '' }: SettledInput): DomainError {
  const at = new Date(time).toISOString();
  const message = `the question ${inputId} is settled: ${words[how]} by ${by} at ${at}${reason === '' ? '' : `: ${reason}`}`;
  const why = reason === '' ? {} : { why: reason };
  return new DomainError('failed_precondition', message, {
    details: { reason: 'settled', how: words[how], by, at, ...why },
  });
}
