import type { RemoteQuestion } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';
import { secretFilter } from '@stopgo/security';
import type { DelegationRequest } from '../delegation-port.ts';
import { createRedactor } from '../models/redact.ts';
import { hiddenTokenCharactersMin, tokensKeptMax, tokensPerConversationMax } from './bounds.ts';
import { AgentFailed } from './failures.ts';
import { Kept } from './kept.ts';

/** What an agent says that may go on the record. */
export type Said = { readonly id?: string; readonly text: string; readonly questions?: readonly RemoteQuestion[] };

/**
 * The tokens that agents were sent, in memory only: an agent may repeat one, also to somebody who looks without any.
 * What was sent by another process, or before the latest conversations of many, nobody here can tell from other words.
 */
export class SentTokens {
  readonly #kept = new Kept<readonly Secret[]>(tokensKeptMax);
  readonly #secrets: readonly string[];

  /** `secrets`: what agents never say either, whoever told them: API keys, tokens of tool servers. */
  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets;
  }

  /** To be called before anything is sent with the token of a request. */
  note({ key, agent, bearer }: DelegationRequest): void {
    if (bearer === undefined || !agent.forwardsBearer) return;
    const others = (this.#kept.get(key.conversationId) ?? []).filter((one) => one.reveal() !== bearer.reveal());
    this.#kept.set(key.conversationId, [...others, bearer].slice(-tokensPerConversationMax));
  }

  /**
   * What an agent says, without a token, in large letters or small: a key may have been made small here. A question for people that
   * holds one is marked, and nothing else of it is told: hidden it could not be told from another one.
   *
   * @throws AgentFailed if it names its task by one: that would be shown wherever the task is.
   */
  hidden<T extends Said>(request: DelegationRequest, said: T): T {
    const secrets = [...this.#of(request), ...this.#secrets];
    const filter = secretFilter(secrets, { charactersMin: hiddenTokenCharactersMin, mark: '[redacted]' });
    // The words of a message may be those of all its questions, and long.
    const known = new Map<string, string>();
    const hide = (text: string): string => {
      const left = known.get(text) ?? filter.hide(text);
      known.set(text, left);
      return left;
    };
    const holds = (text: string): boolean => hide(text) !== text;
    if (holds(said.id ?? '')) throw new AgentFailed('it names its task by a token or a key');
    const questions = said.questions?.map((one): RemoteQuestion => {
      if (one.kind === 'auth') return { ...one, key: hide(one.key), prompt: hide(one.prompt) };
      return textsOf(one).some(holds)
        ? { key: hide(one.key), kind: one.kind, prompt: hide(one.prompt), holdsToken: true }
        : one;
    });
    return { ...said, text: hide(said.text), ...(questions && { questions }) };
  }

  /** For what is told of an error. `others`: what the agent was given besides. */
  redactor(request: DelegationRequest, ...others: readonly Secret[]): (text: string) => string {
    return createRedactor([...this.#of(request), ...this.#secrets, ...others.map((one) => one.reveal())]);
  }

  #of({ key, bearer }: DelegationRequest): string[] {
    const known = this.#kept.get(key.conversationId) ?? [];
    return [...new Set([...known, ...(bearer === undefined ? [] : [bearer])].map((one) => one.reveal()))];
  }
}

function textsOf({ key, prompt, approval }: RemoteQuestion): readonly string[] {
  if (approval === undefined) return [key, prompt];
  const { id, tool, server, argumentsJson, choices, agents } = approval;
  return [key, prompt, id, tool, server, argumentsJson, ...choices, ...agents];
}
