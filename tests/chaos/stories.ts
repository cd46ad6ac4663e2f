import type { Random } from '../simulation/world/random.ts';
import { inVainPrefix, pairPrefix } from './demanding.ts';
import type { Person } from './person.ts';

/** Something that a person does with the platform. It ends when the conversation is settled or waits for a human. */
export type Story = {
  readonly name: string;
  /** How often it is told, compared with the others. */
  readonly weight: number;
  tell(person: Person): Promise<void>;
};

/** How long a call takes that something is to befall, in milliseconds. */
const slowMs = 1_500;

export const stories: readonly Story[] = [
  {
    name: 'list',
    weight: 1,
    tell: async (person) => {
      await person.open(`list all resources starting with ${person.tag}`);
      await person.toTheEnd();
    },
  },
  {
    name: 'add',
    weight: 4,
    tell: async (person) => {
      await person.open(`create a server ${person.tag} with value 42`);
      await person.toTheEnd();
    },
  },
  {
    name: 'two-adds',
    weight: 2,
    tell: async (person) => {
      await person.open(`add ${person.tag}-a value 1 and ${person.tag}-b value 2`);
      await person.toTheEnd();
    },
  },
  {
    name: 'two-deciders',
    weight: 3,
    tell: async (person) => {
      await person.open(`create a server ${person.tag} with value 43`);
      await person.toTheEnd((approval) => person.decideTwice(approval));
    },
  },
  {
    name: 'not-repeatable',
    weight: 3,
    tell: async (person) => {
      await person.open(`call ledger_note {"text":"${person.tag}"}`);
      await person.toTheEnd();
    },
  },
  {
    name: 'idempotent',
    weight: 1,
    tell: async (person) => {
      await person.open(`call ledger_put {"text":"${person.tag}"}`);
      await person.toTheEnd();
    },
  },
  {
    name: 'slow',
    weight: 2,
    tell: async (person) => {
      await person.open(`call ledger_slow {"text":"${person.tag}","ms":${slowMs}}`);
      await person.toTheEnd();
    },
  },
  {
    name: 'canceled',
    weight: 1,
    tell: async (person) => {
      await person.open(`call ledger_slow {"text":"${person.tag}","ms":${slowMs}}`, 'respond-async');
      await person.cancel();
      await person.toTheEnd();
    },
  },
  {
    name: 'two-messages',
    weight: 2,
    tell: async (person) => {
      await person.open(`call ledger_note {"text":"${person.tag}-1"}`);
      await person.toTheEnd();
      await person.say(`create a server ${person.tag}-2 with value 7`);
      await person.toTheEnd();
    },
  },
  {
    name: 'branches',
    weight: 4,
    tell: async (person) => {
      const { tag } = person;
      await person.open(
        [
          `@left: add ${tag}-a value 1 and ${tag}-b value 2`,
          `@inner: call ledger_note {"text":"${tag}-inner"}`,
          `@right: create a server ${tag}-c with value 3`,
          `@free-branch: create a server ${tag}-free with value 4`,
        ].join('\n'),
      );
      await person.toTheEnd((approval) => person.decide(approval), 'any');
    },
  },
  {
    name: 'loop',
    weight: 2,
    tell: async (person) => {
      const { tag } = person;
      await person.open(
        `@left: call ledger_slow {"text":"${tag}-slow","ms":${slowMs}}\n` +
          `@worker: add ${tag}-a value 1 and ${tag}-b value 2\n` +
          `@judge: call exit_loop {"text":"${tag}"}`,
      );
      await person.toTheEnd((approval) => person.decideTwice(approval), 'any');
    },
  },
  {
    name: pairPrefix,
    weight: 3,
    tell: async (person) => {
      await person.open(`call ledger_note {"text":"${person.tag}"}`);
      await person.toTheEnd((approval) => person.decideTogether(approval));
    },
  },
  {
    name: inVainPrefix,
    weight: 1,
    tell: async (person) => {
      await person.open(`call ledger_note {"text":"${person.tag}"}`);
      await person.toTheEnd(() => person.letTimePass());
    },
  },
  {
    name: 'left-waiting',
    weight: 1,
    tell: async (person) => {
      await person.open(`create a server ${person.tag} with value 44`);
      await person.toAHuman();
    },
  },
];

const deck = stories.flatMap((story) => Array.from({ length: story.weight }, () => story));

/** A story as chance has it. */
export function storyFor(random: Random): Story {
  return random.pick(deck);
}
