import { sha256Hex } from '@stopgo/core';
import { Secret } from '@stopgo/rpc';
import { parseAgentConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { serviceSpec } from '../src/services/launcher/service-specs.ts';
import { serviceNames } from '../src/services/names.ts';

const { config } = parseAgentConfig(
  `
llm: {model: offline}
mcp_servers:
  - {name: vault, url: https://vault.example/mcp, auth: static, token_env: VAULT_TOKEN}
  - name: ledger
    url: https://ledger.example/mcp
    auth: client_credentials
    client_id_env: LEDGER_ID
    client_secret_env: LEDGER_SECRET
    issuer: https://login.example
agent_repositories:
  - {name: main, git_url: https://git.example/agents.git, auth_type: token, auth_token: env(GIT_TOKEN)}
`,
  'agent.yaml',
);

const root = new Secret('a'.repeat(32));
const env = {
  ...{ VAULT_TOKEN: 'v', LEDGER_ID: 'i', LEDGER_SECRET: 's', OTHER_TOKEN: 'o', GIT_TOKEN: 't' },
  ...{ GEMINI_API_KEY: 'g', GEMINI_BASE_URL: 'http://u:p@models', https_proxy: 'http://proxy', HOME: '/home/ann' },
};
const specOf = (service: (typeof serviceNames)[number], reserved = {}) =>
  serviceSpec(service, 1, {
    ...{ config, configPath: 'agent.yaml', dataDir: '/data', program: 'stopgo', addressesOf: () => [] },
    ...{ internalToken: root, pushKey: new Secret('b'.repeat(64)), nats: { url: 'nats://stopgo:pw@n' } },
    ...{ env, reserved },
  });
const ofServices = <T>(of: (service: (typeof serviceNames)[number]) => T) =>
  Object.fromEntries(serviceNames.map((service) => [service, of(service)]));

test('each service is handed the secrets that it needs, and no other has them', () => {
  expect(ofServices((service) => Object.keys(specOf(service).secrets))).toEqual({
    store: ['NATS_URL', 'STOPGO_INTERNAL_TOKEN'],
    'mcp-bridge': ['VAULT_TOKEN', 'LEDGER_ID', 'LEDGER_SECRET', 'STOPGO_INTERNAL_TOKEN'],
    orchestrator: ['GEMINI_API_KEY', 'GEMINI_BASE_URL', 'STOPGO_PUSH_KEY', 'STOPGO_INTERNAL_TOKEN'],
    approvals: ['STOPGO_INTERNAL_TOKEN'],
    registry: ['STOPGO_PUSH_KEY', 'GIT_TOKEN', 'STOPGO_INTERNAL_TOKEN'],
    gateway: ['STOPGO_INTERNAL_TOKEN'],
  });
});

test('none of them is in an environment, which other processes can read', () => {
  for (const service of serviceNames) {
    const { secrets, env: visible } = specOf(service);
    const shown = Object.values(visible(undefined)).join(' ');
    for (const [name, secret] of Object.entries({ ...secrets, root: root.reveal() }))
      expect(shown, `${service} ${name}`).not.toContain(secret?.length === 1 ? `=${secret}` : secret);
  }
});

test('the token of each is another one, known to all by its digest', () => {
  const tokens = ofServices((service) => specOf(service).secrets.STOPGO_INTERNAL_TOKEN ?? '');
  expect(new Set([...Object.values(tokens), root.reveal()]).size).toBe(serviceNames.length + 1);
  for (const service of serviceNames) {
    const peers = specOf(service).env(undefined).STOPGO_INTERNAL_PEERS ?? '';
    for (const [name, token] of Object.entries(tokens))
      expect(peers.split(',')).toContain(`${name}=${sha256Hex(token)}`);
    expect(peers.split(',')).toContain(`operator=${sha256Hex(root.reveal())}`);
  }
});

test('who is called before it is there listens where the others were told', () => {
  const reserved = { approvals: ['127.0.0.1:4001', '127.0.0.1:4002'] };
  expect(specOf('orchestrator', reserved).env(undefined).STOPGO_APPROVALS).toBe('127.0.0.1:4001,127.0.0.1:4002');
  expect(specOf('approvals', reserved).env(undefined).STOPGO_LISTEN).toBe('127.0.0.1:4001');
  expect(specOf('orchestrator').env(undefined).STOPGO_APPROVALS).toBeUndefined();
  expect(specOf('approvals').env(undefined).STOPGO_LISTEN).toBe('127.0.0.1:0');
});
