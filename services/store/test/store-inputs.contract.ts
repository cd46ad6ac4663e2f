import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { fact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { AtHand } from './store-contexts.contract.ts';
import { Story } from './story.ts';

/** A conversation whose tool servers ask people something. */
class Asking extends Story {
  /** At a time, in milliseconds since 1970. */
  asks(inputId: string, at: number) {
    const { runId } = this;
    const call = { stepId: 'root', callId: 'root#1.0', kind: facts.InputKind.INPUT, prompt: `${inputId}?` };
    const serverQuestion = { id: inputId, attempt: 1, bridgeInstance: 'bridge-1', server: 'shop', tool: 'order' };
    return this.#at(at, fact('inputRequested', { runId, ...call, inputId, serverQuestion }));
  }

  answered(inputId: string) {
    const action = facts.InputAction.DECLINE;
    return this.append(fact('inputProvided', { runId: this.runId, inputId, action }));
  }

  canceled() {
    return this.append(fact('runCanceled', { runId: this.runId }));
  }

  #at(at: number, one: ReturnType<typeof fact>) {
    const append = this.append(one);
    return { ...append, events: append.events.map((event) => ({ ...event, time: timestampFromMs(at) })) };
  }
}

/** What every store must do with what people are asked. A part of its contract. */
export function inputTests({ client, send }: Pick<AtHand, 'client' | 'send'>): void {
  test('what people are asked is listed in pages, what waits longest first, of all and of one principal', async () => {
    const hour = 3_600_000;
    const begun = async (principal: string, ...asked: readonly [string, number][]) => {
      const story = new Asking();
      for (const append of [story.created('', { principal }), story.asked('go'), story.stopped(), story.approved()])
        await send(append);
      await send(story.started());
      for (const [id, at] of asked) await send(story.asks(id, at));
      return story;
    };
    const late = await begun('user:ana', ['late', 5 * hour]);
    const two = await begun('user:bob', ['first of two', hour], ['second of two', 9 * hour]);
    const ended = await begun('user:ana', ['of an ended run', 2 * hour]);
    const early = await begun('user:ana', ['early', 2 * hour]);
    const same = await begun('user:ana', ['at the same time', 2 * hour]);
    await send(ended.canceled());
    const list = async (principal = '', limit = 1) => {
      const [asked, sizes, totals]: [string[], number[], Set<number>] = [[], [], new Set()];
      let cursor = '';
      do {
        const page = await client().listInputs({ principal, limit, cursor });
        asked.push(...page.inputs.map(({ input }) => input?.id ?? ''));
        sizes.push(page.inputs.length);
        totals.add(page.total);
        cursor = page.nextCursor;
      } while (cursor !== '');
      return { asked, sizes, totals: [...totals] };
    };
    const both = ['first of two', 'second of two'];
    const ofAna = ['early', 'at the same time', 'late'];
    // All of a conversation are on one page.
    expect(await list()).toEqual({ asked: [...both, ...ofAna], sizes: [2, 1, 1, 1], totals: [5] });
    expect(await list('', 3)).toMatchObject({ asked: [...both, ...ofAna], sizes: [3, 2] });
    expect(await list('user:ana')).toMatchObject({ asked: ofAna, totals: [3] });
    expect(await list('user:bob')).toMatchObject({ asked: both, totals: [2] });
    expect(await list('user:nobody')).toEqual({ asked: [], sizes: [0], totals: [0] });
    const { inputs } = await client().listInputs({});
    expect(inputs[2]).toMatchObject({
      conversationId: early.id,
      input: { server: 'shop', tool: 'order', message: 'early?', requestedAt: timestampFromMs(2 * hour) },
    });

    await send(two.answered('first of two'));
    await send(late.answered('late'));
    expect(await list()).toMatchObject({ asked: ['early', 'at the same time', 'second of two'], totals: [3] });
    for (const { stream } of [two, late, same]) expect((await client().verifyStream({ stream })).problems).toEqual([]);
    const { nextCursor } = await client().listConversations({ limit: 1 });
    for (const cursor of ['x', nextCursor])
      await expect(client().listInputs({ cursor }), cursor).rejects.toMatchObject({ kind: 'invalid_argument' });
  });
}
