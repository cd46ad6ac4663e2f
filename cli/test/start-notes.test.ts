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

test('an origin that is listed for tokens, and may carry none, is named', () => {
  const origins = '"http://agent-b:50051", "http://agent-c:50051", "https://agent-c", "http://127.0.0.1:50051"';
  const agent = (name: string, listed = origins) =>
    `{ name: ${name}, url: "http://agent-b:8080/a2a", token_origins: [${listed}] }`;
  const withheld = (name: string) =>
    expect.stringMatching(new RegExp(`^warn agent "${name}" is shown no token at http://agent-c:50051, although `));
  const allowed = 'allow_http_tokens_to: [agent-b]\n';
  expect(said(`${allowed}a2a: [${agent('b')}]`).slice(1)).toEqual([withheld('b')]);
  const tree = `
agent:
  type: sequential
  agents:
    - { name: one, prompt: a, a2a: [${agent('inner')}] }
    - { type: a2a, prompt: b, ${agent('node').slice(2)}
`;
  expect(said(`${allowed}${tree}`).slice(1)).toEqual([withheld('inner'), withheld('node')]);
  expect(said(`${allowed}a2a: [${agent('b', '"https://agent-c"')}]`)).toHaveLength(1);
  expect(said(`a2a: [${agent('b', '"https://agent-c"')}]`)).toEqual([
    expect.stringMatching(/^warn agent "b" is shown no token, whatever its token_origins say: its url is plain http/),
  ]);
  expect(said('a2a: [{ name: b, url: "http://agent-b:8080/a2a" }]')).toEqual([]);
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
