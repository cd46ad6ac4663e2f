import { messageInTurn } from '../promises/node-lines.ts';
import type { ApprovalJson } from '../promises/patient-client.ts';
import { front, keeper } from './agent-files.ts';
import type { Teller } from './teller.ts';

/** Something that people do with the platform, from the first request to the end of the conversation. */
export type Story = {
  readonly name: string;
  /** True: it is told to an agent that is a tree. */
  readonly isTree?: true;
  /** True: it is told to an agent from git, which calls another one. */
  readonly hasAgents?: true;
  tell(teller: Teller): Promise<void>;
};

/** How long a call takes that is to be canceled, in milliseconds. */
const slowMs = 250;

const first = (pending: readonly ApprovalJson[]): ApprovalJson | undefined => pending[0];
const last = (pending: readonly ApprovalJson[]): ApprovalJson | undefined => pending.at(-1);

/** Two calls in one branch, and one in the other. */
const branches = (tag: string): string =>
  `@first: add ${tag}-a value 1 and ${tag}-b value 2\n@right: create a server ${tag}-c with value 3`;

/** Has the first agent call the other one with this. */
const toKeeper = (input: string): string =>
  `call call_agent ${JSON.stringify({ agent_name: keeper, input, context_scope: 'NONE' })}`;

/** Has an agent say what came of its task. */
const completing = (result: string): string =>
  `call complete_agent_execution ${JSON.stringify({ result, status: 'SUCCESS', confidence: 1 })}`;

/** Every story, by its name. */
export const stories: readonly Story[] = [
  {
    name: 'list',
    tell: async (teller) => {
      await teller.open(`list all resources starting with ${teller.tag}`);
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'add-approved',
    tell: async (teller) => {
      await teller.open(`create a server ${teller.tag} with value 42`);
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'add-rejected',
    tell: async (teller) => {
      await teller.open(`create a server ${teller.tag} with value 42`);
      await teller.toTheEnd(first, false);
    },
  },
  {
    name: 'two-in-order',
    tell: async (teller) => {
      await teller.open(`add ${teller.tag}-a value 1 and ${teller.tag}-b value 2`);
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'two-reversed',
    tell: async (teller) => {
      await teller.open(`add ${teller.tag}-a value 1 and ${teller.tag}-b value 2`);
      await teller.toTheEnd(last, true);
    },
  },
  {
    name: 'not-repeatable',
    tell: async (teller) => {
      await teller.open(`call ledger_note {"text":"${teller.tag}"}`);
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'approve-then-crash',
    tell: async (teller) => {
      await teller.open(`create a server ${teller.tag} with value 42`);
      const { pending_approvals: pending } = await teller.conversation();
      const [approval] = pending;
      if (approval?.kind === 'tool') {
        await teller.decide(approval, true, 'respond-async');
        teller.world.kill();
      }
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'cancel-running',
    tell: async (teller) => {
      const text = `call ledger_slow {"text":"${teller.tag}","ms":${slowMs}}`;
      await teller.open(text, 'respond-async');
      const runs = () => teller.world.toolRuns().filter((run) => run.argumentsJson.includes(teller.tag));
      await teller.until('the call', async () => {
        return runs().length > 0 || (await teller.conversation()).run?.status !== 'working';
      });
      await teller.cancel();
      await teller.toTheEnd(first, true);
      // What the call came to is noted late. It belongs to this story, if there is anybody left to note it.
      const { life } = teller.world;
      await teller.until('the end of the call', async () => {
        if (life !== teller.world.life || runs().every((run) => run.endedAt !== undefined)) return true;
        return teller.world.deaths().some((death) => death > (runs().at(-1)?.begunAt ?? 0));
      });
    },
  },
  {
    name: 'branches',
    isTree: true,
    tell: async (teller) => {
      await teller.open(branches(teller.tag));
      await teller.toTheEnd(last, true);
    },
  },
  {
    name: 'branches-rejected',
    isTree: true,
    tell: async (teller) => {
      await teller.open(branches(teller.tag));
      const { pending_approvals: pending } = await teller.conversation();
      // One of two is approved, and its branch goes on; the other branch is rejected, which ends the run.
      const mine = pending.find((one) => JSON.stringify(one.tool_args).includes(`${teller.tag}-a`));
      if (mine?.kind === 'tool') await teller.decide(mine, true, 'respond-async');
      await teller.toTheEnd((left) => left.find((one) => one.kind === 'in_doubt') ?? last(left), false);
    },
  },
  {
    name: 'called-agent',
    hasAgents: true,
    tell: async (teller) => {
      await teller.until('the agents', () => teller.knowsAgents());
      await teller.open(toKeeper(`call ledger_note ${JSON.stringify({ text: teller.tag })}`), '', front);
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'called-agent-gated',
    hasAgents: true,
    tell: async (teller) => {
      await teller.until('the agents', () => teller.knowsAgents());
      await teller.open(toKeeper(`create a server ${teller.tag} with value 42`), '', front);
      await teller.toTheEnd(first, true);
    },
  },
  {
    name: 'called-agent-asks',
    hasAgents: true,
    tell: async (teller) => {
      await teller.until('the agents', () => teller.knowsAgents());
      const choices = ['Approve full refund', 'Offer store credit', 'Deny exception'];
      const question = { prompt: `Approve exception for ${teller.tag}?`, inputType: 'choice', choices };
      const asks = [
        `call request_user_input ${JSON.stringify(question)}`,
        completing(`Refund for ${teller.tag} approved and processed.`),
      ];
      const final = `The order ${teller.tag} has been cancelled and refunded.`;
      const looksUp = `call resources_list ${JSON.stringify({ pattern: teller.tag })}`;
      await teller.open(messageInTurn([looksUp, toKeeper(messageInTurn(asks)), completing(final)]), '', front);
      await teller.answerInput(question.prompt, { content: { answer: 'Approve full refund' } });
      await teller.wasTold(final, [front, keeper]);
    },
  },
  {
    name: 'called-agent-given-file',
    hasAgents: true,
    tell: async (teller) => {
      await teller.until('the agents', () => teller.knowsAgents());
      const question = { prompt: `What was bought for ${teller.tag}?`, inputType: 'file' };
      await teller.open(toKeeper(`call request_user_input ${JSON.stringify(question)}`), '', front);
      const bought = JSON.stringify({ order: teller.tag });
      const file = {
        name: 'order.json',
        media_type: 'application/json',
        base64: Buffer.from(bought).toString('base64'),
      };
      await teller.answerInput(question.prompt, { file });
      await teller.findFile(bought);
    },
  },
  {
    name: 'two-messages',
    tell: async (teller) => {
      await teller.open(`call ledger_note {"text":"${teller.tag}-1"}`);
      await teller.toTheEnd(first, true);
      await teller.say(`create a server ${teller.tag}-2 with value 7`);
      await teller.toTheEnd(first, true);
    },
  },
];

/** Stories that are told once for every point. What is left out passes no point that others do not. */
export const sweptStories: readonly Story[] = stories.filter(
  ({ name }) => name !== 'two-messages' && name !== 'branches-rejected',
);

/** Stories that are told at the same time as others. What is left out kills the platform itself, or has
 * another agent. */
export const mixedStories: readonly Story[] = stories.filter(
  ({ name, isTree, hasAgents }) => name !== 'approve-then-crash' && isTree !== true && hasAgents !== true,
);

/** The story of this name. */
export function storyOf(name: string): Story {
  const story = stories.find((one) => one.name === name);
  if (story === undefined)
    throw new Error(`there is no story "${name}"; there are ${stories.map((one) => one.name).join(', ')}`);
  return story;
}
