import { create, toBinary } from '@bufbuild/protobuf';
import type { RunState } from '@stopgo/core';
import {
  type CallState,
  type ConversationState,
  canonicalJson,
  chainHash,
  decodeRecorded,
  type Json,
  newEvents,
  type ProjectedRows,
  type RecordedFact,
  sha256Hex,
  uuidFrom,
} from '@stopgo/core';
import { envelope, views } from '@stopgo/proto';
import type { Approval, Interrupt } from '../../src/state/interrupt.ts';
import { Rows } from '../rows.ts';

/** One recorded event, and what the code of that day made of it. */
export type GoldenLine = {
  /** For readers only. */
  readonly summary: string;
  /** Base64 of the stored bytes, and of their hash in the chain. */
  readonly envelope: string;
  readonly hash: string;
  /** SHA-256 of the folded state after the event, and of the rows that the event changed. */
  readonly state: string;
  readonly rows: string;
};

export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
export const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** The stored bytes of an event, as the store writes them. */
export function envelopeOf(event: RecordedFact, name: string): Uint8Array {
  const { actor, causationId, correlationId, revision, stream, time, fact } = event;
  const [stored] = newEvents([fact], { now: time, actor, causationId, correlationId }, [
    uuidFrom('golden', name, String(revision)),
  ]);
  if (stored === undefined) throw new Error('an event was not made');
  const { $typeName: _, $unknown: __, ...fields } = stored;
  return toBinary(envelope.EnvelopeSchema, create(envelope.EnvelopeSchema, { ...fields, stream, revision }));
}

/** What today's code makes of recorded events, one by one, from their stored bytes. */
export function replay(envelopes: readonly Uint8Array[], chainStart: Uint8Array): Omit<GoldenLine, 'envelope'>[] {
  const rows = new Rows();
  let hash = chainStart;
  return envelopes.map((bytes) => {
    hash = chainHash(hash, bytes);
    const event = decodeRecorded({ envelope: bytes });
    const projected = rows.add([event]);
    return {
      summary: `${event.revision} ${event.fact.case} by ${event.actor.kind} ${event.actor.id}`.trimEnd(),
      hash: toBase64(hash),
      state: sha256Hex(canonicalJson(asRecorded(rows.state))),
      rows: digestOf(projected),
    };
  });
}

/**
 * A state as the recordings have it, which are of the fold's version 3: it named the server and the agent of a call side by side, and
 * the one control tool by its name; approvals, with one decision, stood apart from what else was asked, and did not name the standing one
 * that decided. Nothing was known of what answers cost, and of a run's tokens only those of agents that it called.
 */
function asRecorded(state: ConversationState): Json {
  const { run, leftElsewhere } = state;
  return {
    ...state,
    ...(run === null
      ? {}
      : {
          run: {
            ...runOf(run),
            calls: Object.fromEntries(Object.entries(run.calls).map(([id, one]) => [id, callOf(one)])),
          },
        }),
    ...(leftElsewhere && { leftElsewhere: leftElsewhere.map((one) => ({ ...one, call: callOf(one.call) })) }),
  } as unknown as Json;
}

function runOf({ interrupts, spent: _, ...run }: RunState) {
  const all = Object.values(interrupts);
  const byId = (some: readonly { readonly id: string }[]) => Object.fromEntries(some.map((one) => [one.id, one]));
  return {
    ...run,
    approvals: byId(all.flatMap((one) => (one.kind === 'approval' ? [approvalState(one)] : []))),
    inputs: byId(all.flatMap((one) => (one.kind === 'approval' ? [] : [inputState(one)]))),
  };
}

const approvalKinds = { call: 'tool', in_doubt: 'in_doubt', question: 'proxy' } as const;

function approvalState({ of, votes: [decision], votesNeeded: _, standingId: __, ...approval }: Approval) {
  return { ...approval, kind: approvalKinds[of], ...(decision && { decision }) };
}

function inputState({ requestedAt, ...one }: Exclude<Interrupt, Approval>) {
  return 'server' in one ? { ...one, server: { ...one.server, requestedAt } } : one;
}

function callOf({ target, outcome, ...call }: CallState) {
  const { inputTokens, outputTokens } = call.called?.usage ?? {};
  return {
    ...call,
    ...(call.called && { called: { ...call.called, usage: { inputTokens, outputTokens } } }),
    server: target?.kind === 'tool' ? target.server : '',
    ...(target?.kind === 'remote' ? { agent: target.agent } : {}),
    ...(outcome === undefined ? {} : { outcome: outcome === 'control' ? call.tool : outcome }),
  };
}

function digestOf({ head: { run, ...rest }, messages, approvals }: ProjectedRows): string {
  const head = run === undefined ? rest : { ...rest, run: { ...run, usage: undefined } };
  return sha256Hex(
    canonicalJson([
      toBase64(toBinary(views.ConversationHeadSchema, head)),
      messages.map((one) => toBase64(toBinary(views.MessageSchema, one))),
      approvals.map((one) => toBase64(toBinary(views.ApprovalSchema, one))),
    ]),
  );
}
