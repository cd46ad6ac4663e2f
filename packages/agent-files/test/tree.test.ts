import { describe, expect, test } from 'vitest';
import { defineAgentFile, printAgentFile, problemLine, readAgentFile } from '../src/index.ts';

const read = (tree: string, more = '', body = 'Work on {{prompt}}.') =>
  readAgentFile({ path: 'desk/prompt.md', text: `---\ndescription: d\n${more}agent:\n${tree}\n---\n${body}\n` });
const said = ({ problems, warnings }: ReturnType<typeof read>) => [...problems, ...warnings].map(problemLine);

const pipeline = `  type: sequential
  agents:
    - name: plan
      output_key: plan
    - type: parallel
      on_error: continue
      agents:
        - name: write
          model: openai:gpt-5
          prompt: Write {plan} for {{prompt}}
          mcp_servers: [docs]
          tools: [write_*]
          approval: require
        - type: loop
          name: polish
          max_iterations: 3
          on_reject: continue
          agents:
            - name: edit
              can_exit_loop: true
              prompt:`;

test('a tree is that of an agent.yaml, and its nodes have from the file what they do not say', () => {
  const reading = read(pipeline, 'name: Desk\nmcpServers: [docs, web]\nmaxTurns: 7\noutputKey: answer\n');
  expect(said(reading)).toEqual([]);
  const { name, root } = defineAgentFile(reading.agent!, { model: 'usual', namespace: 'lab' });
  expect(name).toBe('lab/desk');
  const llm = {
    type: 'llm',
    model: 'usual',
    prompt: 'Work on {{prompt}}.',
    outputKey: '',
    canExitLoop: false,
    turnsMax: 7,
    approval: 'default',
    toolServers: ['docs', 'web'],
  };
  expect(root).toEqual({
    type: 'sequential',
    name: 'Desk',
    outputKey: 'answer',
    children: [
      { ...llm, name: 'plan', outputKey: 'plan' },
      {
        type: 'parallel',
        name: 'parallel_2',
        onError: 'continue',
        children: [
          {
            ...llm,
            name: 'write',
            model: 'openai:gpt-5',
            prompt: 'Write {plan} for {{prompt}}',
            toolServers: ['docs'],
            tools: ['write_*'],
            approval: 'require',
          },
          {
            type: 'loop',
            name: 'polish',
            iterationsMax: 3,
            children: [{ ...llm, name: 'edit', canExitLoop: true, onReject: 'continue' }],
          },
        ],
      },
    ],
  });
  const again = readAgentFile({ path: 'desk/prompt.md', text: printAgentFile(reading.agent!) });
  expect(again.agent).toEqual(reading.agent);
});

test('what the file says of approvals holds for all nodes', () => {
  const { agent } = read('  type: sequential\n  agents: [{name: a}]', 'approvals: require\nonReject: continue\n');
  expect(defineAgentFile(agent!, { model: 'm' }).root).toMatchObject({
    children: [{ name: 'a', approval: 'require', onReject: 'continue' }],
  });
});

describe('a tree is refused or told of, with its place', () => {
  test.each<[string, string]>([
    [
      '  type: sequental',
      'desk/prompt.md:4:3: agent.type: expected llm, sequential, parallel, loop or a2a, found "sequental"; did you mean "sequential"?',
    ],
    ['  type: sequential', 'desk/prompt.md:3:1: agent: a node of type "sequential" needs at least one entry in agents'],
    ['  promt: x', 'desk/prompt.md:4:3: agent: unknown key "promt"; did you mean "prompt"?'],
    ['  mcp_servers: [docs]', 'desk/prompt.md:4:17: agent.mcp_servers[0]: there is no tool server "docs"; known: none'],
    [
      '  type: sequential\n  agents:\n    - type: a2a\n      url: https://evil.example',
      'desk/prompt.md:6:7: agent.agents[0].type: agents elsewhere are a part of the configuration of the platform; a file names them in allowedAgents',
    ],
    [
      '  a2a: [{name: x, url: "https://evil.example"}]',
      'desk/prompt.md:4:3: agent.a2a: agents elsewhere are a part of the configuration of the platform; a file names them in allowedAgents',
    ],
    ['  - x', 'desk/prompt.md:3:1: agent: expected a mapping, found a list; write its keys without a dash'],
  ])('%s', (tree, line) => {
    const reading = read(tree);
    expect(reading.agent).toBeUndefined();
    expect(said(reading)).toContain(line);
  });

  test('placeholders that nothing writes, and no variables', () => {
    const tree = '  type: sequential\n  agents:\n    - prompt: Use {plan} for {{prompt}} of {{ agent_name }}';
    expect(said(read(tree))).toEqual([
      'desk/prompt.md:6:7: agent.agents[0].prompt: no node before this one writes {plan}; it stays in the prompt as it is',
    ]);
  });

  test('a prompt that many nodes share counts for each', () => {
    const tree = `  type: parallel\n  agents: [${'{}, '.repeat(10)}]`;
    expect(said(read(tree, '', 'a'.repeat(50_000)))).toEqual([
      expect.stringMatching(
        /^desk\/prompt\.md:1:1: what is recorded of the agent has \d+ bytes, more than 458752; shorten its prompt, which counts once/,
      ),
    ]);
  });
});

test('servers of a tree may be any where the agent may use all', () => {
  expect(said(read('  mcp_servers: [docs]', 'mcpServers: ["*"]\n'))).toEqual([]);
});

test('what is recorded is no larger than one append holds', () => {
  const text = `---\ndescription: d\n---\n${'"'.repeat(250_000)}`;
  expect(readAgentFile({ path: 'a/prompt.md', text }).problems.map(problemLine)).toEqual([
    expect.stringMatching(
      /^a\/prompt\.md:1:1: what is recorded of the agent has \d+ bytes, more than 458752; shorten its prompt$/,
    ),
  ]);
});
