import { remoteAgentsOf } from '@stopgo/core';
import { parseAgentConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { agentDefinition } from '../src/parts/agent-definition.ts';

const YAML = `
allow_http_tokens_to: [agent-b, "tools:8090"]
a2a:
  - { name: b, url: "http://agent-b:8080/a2a", token_origins: ["http://agent-b:50051", "http://agent-c:50051", "https://agent-c"] }
  - { name: c, url: "http://agent-c:8080/a2a" }
mcp_servers:
  - { name: t, url: "http://tools:8090/mcp" }
  - { name: other, url: "http://tools:8091/mcp" }
  - { name: none, url: "http://tools:8090/none", auth: none }
`;

test('tokens go over plain http to the hosts that are allowed by name, and to no others', () => {
  const { config } = parseAgentConfig(YAML, 'agent.yaml');
  const [b, c] = remoteAgentsOf(agentDefinition(config));
  expect(b).toMatchObject({ forwardsBearer: true, tokenOrigins: ['http://agent-b:50051', 'https://agent-c'] });
  expect(c).toMatchObject({ forwardsBearer: false });
  expect(c).not.toHaveProperty('tokenOrigins');
  expect(config.mcpServers.map(({ transport }) => 'forwardsInClear' in transport)).toEqual([true, false, false]);
});
