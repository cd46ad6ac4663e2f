import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutantOf } from '../chaos/mutants.ts';
import { ModelProcess } from '../promises/model-process.ts';
import { oneDecision } from './one-decision.ts';
import { bundlePrograms, type Programs } from './programs.ts';
import { storyOf } from './stories.ts';
import { type Plan, runPlans } from './sweep.ts';

// The most telling points of `npm run test:crash`, and the mutants that it must see.

/** For a machine that is busy with other things; everything here takes a few seconds. */
const testMs = 120_000;

let programs: Programs;
let model: ModelProcess;

beforeAll(async () => {
  programs = await bundlePrograms();
  model = await ModelProcess.start(programs.model);
}, testMs);

afterAll(() => {
  model.stop();
  programs.remove();
});

test.each<{ story: string; plans: readonly Plan[]; inDoubt: number }>([
  {
    story: 'add-approved',
    plans: [['append.after:3'], ['tool.end.both:1'], ['execute.after:1']],
    inDoubt: 2,
  },
  { story: 'branches', plans: [['append.after:6'], ['tool.end.both:2']], inDoubt: 1 },
  { story: 'branches-rejected', plans: [['append.before:7'], ['append.after:7']], inDoubt: 0 },
  { story: 'called-agent-asks', plans: [['resolve.after:2'], ['append.after:9'], ['model.after:5']], inDoubt: 0 },
  { story: 'not-repeatable', plans: [['execute.before:1'], ['model.after:2']], inDoubt: 1 },
])(
  '$story: killed at the most telling points, it keeps its promises',
  async ({ story, plans, inDoubt }) => {
    const found = await runPlans(storyOf(story), plans, { model, programs });
    expect(found.violations).toEqual([]);
    expect(found.missed).toEqual([]);
    expect(found.inDoubt).toBeGreaterThanOrEqual(inDoubt);
  },
  testMs,
);

test(
  'fifty approvals at once: the call runs once, and the others are told who decided',
  async () => {
    const found = await oneDecision({ model, programs });
    expect(found.violations).toEqual([]);
  },
  testMs,
);

describe('a platform that is broken on purpose is found out', () => {
  test(
    'ask-model-again',
    async () => {
      const options = { model, programs, mutant: 'ask-model-again', keepEvidence: false } as const;
      const found = await runPlans(storyOf('list'), [[]], options);
      expect(found.violations.join('\n')).toContain('asked the model twice for turn 1');
    },
    testMs,
  );

  test.each<[string, string, Plan, string]>([
    ['execute-twice', 'add-approved', [], 'a call ran twice and nobody asked for it'],
    ['no-approval', 'add-approved', [], 'a gated call ran without an approval before it'],
    ['doubt-is-no', 'not-repeatable', ['execute.after:1'], 'a call ran twice and nobody asked for it'],
  ])(
    'by an edit of its source: %s',
    async (name, story, plan, violation) => {
      const broken = await bundlePrograms(mutantOf(name));
      try {
        const found = await runPlans(storyOf(story), [plan], { model, programs: broken, keepEvidence: false });
        expect(found.violations.join('\n')).toContain(violation);
      } finally {
        broken.remove();
      }
    },
    testMs,
  );
});
