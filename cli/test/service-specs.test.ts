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
`,
  'agent.yaml',
);

test('the credentials of tool servers are given to bridges, and to nobody else', () => {
  const given = (service: (typeof serviceNames)[number]) => {
    const spec = serviceSpec(service, 1, {
      ...{ config, configPath: 'agent.yaml', dataDir: '/data', program: 'stopgo', addressesOf: () => [] },
      ...{ internalToken: new Secret('a'.repeat(32)), pushKey: new Secret('b'.repeat(64)), nats: { url: 'nats://n' } },
      env: { VAULT_TOKEN: 'v', LEDGER_ID: 'i', LEDGER_SECRET: 's', OTHER_TOKEN: 'o' },
    });
    return Object.keys(spec.env(undefined)).filter((name) => /^(VAULT|LEDGER|OTHER)_/.test(name));
  };
  expect(Object.fromEntries(serviceNames.map((service) => [service, given(service)]))).toEqual({
    store: [],
    'mcp-bridge': ['VAULT_TOKEN', 'LEDGER_ID', 'LEDGER_SECRET'],
    orchestrator: [],
    approvals: [],
    gateway: [],
  });
});
