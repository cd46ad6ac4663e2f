/**
 * What kind of test a file is: its path says so, and nothing else does (tests/README.md tells what each kind proves). Each kind
 * is a project of vitest of that name.
 */

export const kinds = ['unit', 'integration', 'simulation', 'e2e', 'chaos', 'web'] as const;
export type Kind = (typeof kinds)[number];

/** A name without a word before `.test.ts`. */
const noWord = '+([^.]).test.ts';

/**
 * The files of each kind. A folder whose tests are all of one kind stands here by its name; elsewhere the word before `.test.ts`
 * tells the kind, and no word is `unit`. The words `sqlite`, `nats` and `jetstream` name the adapter of the store that is real.
 */
export const filesOfKind: Readonly<Record<Kind, readonly string[]>> = {
  unit: [
    `{packages,services,mcp-servers}/*/test/**/${noWord}`,
    `{cli,offline-model,bench}/test/**/${noWord}`,
    `tests/{chaos,client-types,config-schema,crash,promises,topology}/${noWord}`,
  ],
  integration: ['**/*.{integration,sqlite,nats,jetstream}.test.ts', 'tests/{conformance,processes,scripts}/*.test.ts'],
  simulation: ['tests/{matrix,simulation}/*.test.ts'],
  e2e: ['**/*.e2e.test.ts', 'tests/{e2e,examples}/*.test.ts'],
  chaos: ['**/*.chaos.test.ts'],
  web: ['tests/web/*.test.ts'],
};
