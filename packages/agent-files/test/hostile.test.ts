import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileBytesMax, frontmatterBytesMax, problemsMax } from '../src/bounds.ts';
import { printAgentFile, problemLine, readAgentFile } from '../src/index.ts';

const lines = (text: string, path = 'support/prompt.md') => readAgentFile({ path, text }).problems.map(problemLine);
const withBody = (frontmatter: string) => `---\ndescription: d\n${frontmatter}\n---\nHelp.\n`;

describe('a hostile file is refused', () => {
  test.each<[string, string, string]>([
    [
      'another language',
      '---js\n{ description: globalThis.ran = true }\n---\nHelp.',
      'support/prompt.md:1:4: the first line must be --- and nothing else: frontmatter is YAML, and no other language is read or run; remove what follows the dashes',
    ],
    [
      'no end',
      '---\ndescription: d\nHelp.',
      'support/prompt.md:1:1: the frontmatter does not end: write a line --- after its last key, and the prompt below',
    ],
    [
      'no frontmatter',
      'Help.',
      'support/prompt.md:1:1: the file has no frontmatter: begin it with a line ---, keys such as description, and a line ---',
    ],
    [
      'nothing',
      '',
      'support/prompt.md:1:1: the file has no frontmatter: begin it with a line ---, keys such as description, and a line ---',
    ],
    [
      '10 MB',
      withBody('x: y') + 'a'.repeat(10_000_000),
      'support/prompt.md:1:1: the file has 10000034 bytes, more than 262144; shorten it',
    ],
    [
      'a large frontmatter',
      withBody(`version: ${'a'.repeat(frontmatterBytesMax)}`),
      'support/prompt.md:1:1: the frontmatter has 65562 bytes, more than 65536; shorten it',
    ],
    [
      'a bomb of references',
      withBody('a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\ntags: [*c,*c]'),
      'support/prompt.md:3:7: anchors (&name) and references (*name) are not read: write the value out, or put the text in quotes',
    ],
    [
      'a circle',
      withBody('tags: &a [*a]'),
      'support/prompt.md:3:10: anchors (&name) and references (*name) are not read: write the value out, or put the text in quotes',
    ],
    [
      'a list',
      '---\n- a\n---\nHelp.',
      'support/prompt.md:2:1: expected keys with values, such as "description: Answers questions about orders"',
    ],
    [
      'a text',
      '---\na\n---\nHelp.',
      'support/prompt.md:2:1: expected keys with values, such as "description: Answers questions about orders"',
    ],
    [
      'NUL in the prompt',
      '---\ndescription: d\n---\nHe\0lp.',
      'support/prompt.md:4:3: the prompt holds a NUL character; remove it',
    ],
    [
      'half a character in the prompt',
      '---\ndescription: d\n---\nHelp \ud83d.',
      'support/prompt.md:4:6: the prompt holds half of a surrogate pair, which is no character; remove it',
    ],
  ])('%s', (_, text, line) => {
    expect(lines(text)).toEqual([line]);
  });

  test.each(['[', '{a: ', '- ', '? '])('%j again and again', (open) => {
    const said = lines(withBody(`tags: ${open.repeat(60_000 / open.length)}`));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^support\/prompt\.md:3:\d+: it is nested too deeply/);
  });

  test('nothing of it is executed', () => {
    expect(globalThis).not.toHaveProperty('ran');
  });

  test('as many problems are told as somebody reads', () => {
    expect(lines(withBody(`tags: [${'{}, '.repeat(200)}]`))).toHaveLength(problemsMax);
  });
});

test('lines count the same however they end, and a byte order mark is not the first of them', () => {
  const text = '\ufeff---\r\ndescription: d\r\ntags: x\r\n---\r\nHelp.\r\n';
  expect(lines(text)[0]).toMatch(/^support\/prompt\.md:3:1: tags/);
  const { agent } = readAgentFile({ path: 'support/prompt.md', text: text.replace('tags: x', 'tags: [x]') });
  expect(agent).toMatchObject({ description: 'd', tags: ['x'], prompt: 'Help.' });
});

test('a line of dashes in the prompt ends nothing', () => {
  const { agent } = readAgentFile({ path: 'a/prompt.md', text: '---\ndescription: d\n---\nOne\n---\nTwo\n' });
  expect(agent?.prompt).toBe('One\n---\nTwo');
});

/** Pieces from which texts are made that come near to a file. */
const pieces = [
  ...['---', '\n', '---\n', 'description: d', 'name: n', 'tags: [a]', 'model: ', ': ', '- ', '"', "'", '{', '}', '['],
  ...[']', '&a', '*a', '!!binary', '|', '>', '%', '#', '\0', '\u202e', '\ud800', '{{prompt}}', '{{x}}', '<<: ', '? '],
  ...['mcpServers: ["*"]', 'context: {state: [x]}', 'contextScope: SPECIFIC', 'tools: Read, Bash(x)', 'maxCost: 1e-9'],
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join('')),
  fc
    .array(fc.constantFrom(...pieces), { maxLength: 20 })
    .map((all) => `---\nname: n\ndescription: d\n${all.join('\n')}\n---\nHelp {{prompt}}.`),
);
const anyPath = fc.oneof(
  fc.constantFrom('a/prompt.md', 'a/agent.md', 'a.md', '.claude/agents/a.md', '.github/agents/a.agent.md'),
  fc.string({ unit: 'binary', maxLength: 40 }).map((name) => `${name}.md`),
);

test('any text is read without a throw, and what is said of it is bounded', () => {
  fc.assert(
    fc.property(anyPath, anyText, (path, text) => {
      const { agent, problems, warnings } = readAgentFile({ path, text });
      expect(agent === undefined || problems.length === 0).toBe(true);
      expect(problems.length + warnings.length).toBeLessThanOrEqual(2 * problemsMax);
      for (const { line, column, message } of [...problems, ...warnings]) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(text.split('\n').length + 1);
        expect(message.length).toBeLessThan(2_000);
      }
    }),
    { numRuns: 1_000 },
  );
});

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== '');
const some = fc.array(word, { maxLength: 3 });

test('an agent that is printed is read as the same', () => {
  const anyAgent = fc.record(
    {
      ...{ name: word, description: line, version: line, tags: some, model: line, providers: some, mcpServers: some },
      ...{ tools: some, allowedAgents: some, examples: fc.array(line, { maxLength: 3 }), outputKey: word },
      models: fc.dictionary(word, line, { maxKeys: 3 }),
      contextScope: fc.constantFrom('FULL', 'NONE', 'SPECIFIC'),
      context: fc.record({ state: some, memories: some }, { requiredKeys: [] }),
      maxExecutionMinutes: fc.integer({ min: 1, max: 43_200 }),
      completion: fc.constantFrom('required', 'optional'),
      approvals: fc.constantFrom('default', 'require'),
      onReject: fc.constantFrom('cancel', 'continue'),
      maxTurns: fc.integer({ min: 1, max: 100 }),
      maxCost: fc.integer({ min: 1, max: 1_000_000_000 }).map((millionths) => millionths / 1_000_000),
      maxTokens: fc.integer({ min: 1, max: 1_000_000_000_000 }),
      maxAgentCalls: fc.integer({ min: 1, max: 1_000_000 }),
      onLimit: fc.constantFrom('ask', 'end'),
    },
    { requiredKeys: ['description'] },
  );
  fc.assert(
    fc.property(anyAgent, line, (keys, prompt) => {
      const path = 'a/prompt.md';
      const { agent, problems } = readAgentFile({ path, text: `---\n${JSON.stringify(keys)}\n---\n${prompt}` });
      expect(problems).toEqual([]);
      const printed = printAgentFile(agent!);
      expect(readAgentFile({ path, text: printed }).agent).toEqual(agent);
    }),
    { numRuns: 300 },
  );
});

test('one of a byte more is not, nor one of which the beginning alone is given', () => {
  const text = withBody('x: y');
  const read = (bytes: number) => readAgentFile({ path: 'a/prompt.md', text, bytes }).problems.map(({ kind }) => kind);
  expect(read(fileBytesMax)).toEqual([]);
  expect(read(fileBytesMax + 1)).toEqual(['size']);
  expect(lines(text + 'a'.repeat(fileBytesMax + 1 - text.length))).toHaveLength(1);
});

test('a file of the largest size is read', () => {
  const text = withBody('x: y');
  const { agent } = readAgentFile({ path: 'a/prompt.md', text: text + 'a'.repeat(fileBytesMax - text.length) });
  expect(agent?.prompt).toHaveLength(fileBytesMax - text.length + 'Help.\n'.length);
});
