import { effectiveHints, type HintSource, hintOrigins, isRepeatable, type Json, policyVerdict } from '@stopgo/core';
import { describe, expect, test } from 'vitest';

type Row = readonly [what: string, annotations: Json | undefined, topLevel: Json | undefined, run: string, ask: string];

/** What a server declares, and the verdict where the configuration says `unannotated: run` and `unannotated: ask`. */
const rows: readonly Row[] = [
  ['nothing', undefined, undefined, 'allow', 'ask'],
  ['no annotation that matters', { title: 'x', openWorldHint: false }, undefined, 'allow', 'ask'],
  ['destructive', { destructiveHint: true }, undefined, 'ask', 'ask'],
  ['not destructive', { destructiveHint: false }, undefined, 'allow', 'allow'],
  ['destructive at the top level', undefined, true, 'ask', 'ask'],
  ['not destructive at the top level', undefined, false, 'allow', 'allow'],
  ['destructive, but not at the top level', { destructiveHint: true }, false, 'ask', 'ask'],
  ['not destructive, but at the top level', { destructiveHint: false }, true, 'allow', 'allow'],
  ['read-only', { readOnlyHint: true }, undefined, 'allow', 'allow'],
  ['read-only and destructive', { readOnlyHint: true, destructiveHint: true }, undefined, 'allow', 'allow'],
  ['read-only, and destructive at the top level', { readOnlyHint: true }, true, 'allow', 'allow'],
  ['not read-only', { readOnlyHint: false }, undefined, 'ask', 'ask'],
  ['not read-only, and not destructive', { readOnlyHint: false, destructiveHint: false }, undefined, 'allow', 'allow'],
  ['not read-only, and not destructive at the top level', { readOnlyHint: false }, false, 'allow', 'allow'],
  ['a hint that is no boolean', { destructiveHint: 'false' }, undefined, 'ask', 'ask'],
  ['a hint that is null', { destructiveHint: null }, undefined, 'ask', 'ask'],
  ['a hint that is no boolean, beside a top level that is fine', { destructiveHint: 1 }, false, 'ask', 'ask'],
  ['a hint at the top level that is no boolean', undefined, 'no', 'ask', 'ask'],
  ['a read-only hint that is no boolean', { readOnlyHint: 1 }, undefined, 'ask', 'ask'],
  [
    'not destructive, and a read-only hint that is no boolean',
    { readOnlyHint: 1, destructiveHint: false },
    'x',
    'allow',
    'allow',
  ],
  ['annotations that are no object', ['destructiveHint'], undefined, 'ask', 'ask'],
  [
    'read-only, and a hint that is no boolean',
    { readOnlyHint: true, destructiveHint: 'yes' },
    undefined,
    'allow',
    'allow',
  ],
  ['idempotent', { idempotentHint: true }, undefined, 'allow', 'ask'],
];

describe('the verdict on a tool', () => {
  test.each(rows)('that declares %s', (_, annotations, topLevelDestructive, run, ask) => {
    const source = {
      ...(annotations === undefined ? {} : { annotations }),
      ...(topLevelDestructive === undefined ? {} : { topLevelDestructive }),
    };
    const verdict = (unannotated: 'run' | 'ask') =>
      policyVerdict({ hints: effectiveHints({ ...source, unannotated }), approvalRequired: false }).kind;
    expect([verdict('run'), verdict('ask')]).toEqual([run, ask]);
  });

  test('is to ask, whatever it declares, if the configuration requires it', () => {
    const hints = effectiveHints({ annotations: { readOnlyHint: true }, unannotated: 'run' });
    expect(policyVerdict({ hints, approvalRequired: true })).toEqual({
      kind: 'ask',
      reason: 'approval is required by configuration',
    });
  });
});

test.each([
  ['says nothing', {}, false],
  ['only reads', { readOnlyHint: true }, true],
  ['is idempotent', { idempotentHint: true }, true],
  ['is idempotent and destructive', { idempotentHint: true, destructiveHint: true }, true],
  ['is not idempotent', { idempotentHint: false }, false],
])('a call of a tool that %s may be repeated: %o gives %s', (_, annotations, repeatable) => {
  expect(isRepeatable(effectiveHints({ annotations, unannotated: 'run' }))).toBe(repeatable);
});

describe('each hint says where it comes from', () => {
  const origins = (source: Partial<HintSource>) => {
    const { readOnly, destructive, idempotent, openWorld } = hintOrigins({ unannotated: 'run', ...source });
    return [readOnly, destructive, idempotent, openWorld];
  };

  test.each([
    ['nothing is said', {}, ['default', 'default', 'default', 'default']],
    ['the configuration says it', { unannotated: 'ask' }, ['default', 'configuration', 'default', 'default']],
    [
      'the top level says it, whatever the configuration',
      { topLevelDestructive: false, unannotated: 'ask' },
      ['default', 'top_level', 'default', 'default'],
    ],
    [
      'the annotations win over the top level',
      {
        annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
        topLevelDestructive: true,
      },
      ['default', 'annotations', 'annotations', 'annotations'],
    ],
    [
      'a tool that only reads destroys nothing and may be repeated, whatever else it says',
      { annotations: { readOnlyHint: true, destructiveHint: true, idempotentHint: false } },
      ['annotations', 'read_only', 'read_only', 'default'],
    ],
    [
      'a tool that does not only read is destructive by the default of the protocol',
      { annotations: { readOnlyHint: false }, unannotated: 'ask' },
      ['annotations', 'default', 'default', 'default'],
    ],
    [
      'what is no boolean was said, and is read cautiously',
      { annotations: { readOnlyHint: 'yes' } },
      ['default', 'annotations', 'default', 'default'],
    ],
  ] as const)('%s', (_, source, expected) => {
    expect(origins(source)).toEqual(expected);
  });
});
