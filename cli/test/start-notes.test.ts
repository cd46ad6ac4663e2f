import { parseAgentConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { sayWhatFollows } from '../src/parts/start-notes.ts';

function said(yaml: string): string[] {
  const lines: string[] = [];
  const { config } = parseAgentConfig(yaml, 'agent.yaml');
  sayWhatFollows(config, { info: (line) => lines.push(`info ${line}`), warn: (line) => lines.push(`warn ${line}`) });
  return lines;
}

test('each host that a token goes to in clear text is named', () => {
  expect(said('allow_http_tokens_to: [agent-b, "tools.lan:8090"]')).toEqual([
    expect.stringMatching(/^warn tokens of callers may go to agent-b over plain http/),
    expect.stringMatching(/^warn tokens of callers may go to tools\.lan:8090 over plain http/),
  ]);
  expect(said('name: x')).toEqual([]);
});

test('places are named in which destructive calls run without asking', () => {
  const tree = (more: string) => `
agent:
  type: sequential
  agents:
    - { name: first, prompt: a }
    - { type: loop, agents: [{ name: inner, prompt: b }, { type: sequential, agents: [{ name: deep, prompt: c }] }] }
    - { type: parallel, ${more} agents: [{ name: side, prompt: d }, { name: asked, prompt: e, approval: require }] }
`;
  expect(said(tree(''))).toEqual([
    expect.stringMatching(
      /^info destructive calls inside parallel and loop run without asking, in inner, deep, side; /,
    ),
  ]);
  expect(said(tree('approval: require,')).join()).toContain('in inner, deep; ');
  expect(said('agent: { type: sequential, agents: [{ name: one, prompt: a }] }')).toEqual([]);
});
