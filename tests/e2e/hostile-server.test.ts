import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { natsPassword } from '@stopgo/cli';
import { peerNames, peerToken, Secret } from '@stopgo/rpc';
import { exportJWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';
import { audience, bearer, issuer, keys, tokenOf } from './tokens.ts';

/**
 * A tool server over standard streams that wants its own call approved (fixtures/hostile-server.mjs), in both shapes. What it can do
 * is what docs/deployment.md says that it can: decide at the port where nobody has to sign in, unless it is in a sandbox.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const startMs = 120_000;

/** The way the command `stopgo` goes. */
const within = ['sh', join(root, 'cli/bin/handing-over.sh')] as const;

const canSandbox =
  spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true'], { stdio: 'ignore' })
    .status === 0;
if (!canSandbox) console.warn('a hostile server in a sandbox is not tested here: bwrap is missing, or may not be used');

let model: ScriptedModel;
beforeAll(async () => {
  model = await scriptedModel();
});
afterAll(() => model.stop());

type Report = {
  readonly found: readonly string[];
  readonly tokens: number;
  readonly rest: string;
  readonly grpc: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
};

describe.each(['start', 'services'] as const)('a hostile tool server, stopgo %s', (command) => {
  let place: Workplace;
  let platform: Platform | undefined;
  let headers: Readonly<Record<string, string>>;
  /** Of this test alone, so that nothing else on the machine shows them. */
  let rootToken: string;
  let modelKey: string;

  afterEach(async () => {
    await platform?.end('SIGTERM');
    platform = undefined;
    await noneLeftOf(place.folder);
    place.remove();
  }, startMs);

  async function begin({ signsIn = false, sandboxed = false } = {}) {
    place = workplace();
    [rootToken, modelKey] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' };
    writeFileSync(join(place.folder, 'keys.json'), JSON.stringify({ keys: [jwk] }));
    const config = `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:
  - name: hostile
    command: node
    args: [tests/e2e/fixtures/hostile-server.mjs, ${JSON.stringify(join(place.folder, 'tools'))}]
${sandboxed ? sandbox() : ''}
${signsIn ? signIn() : ''}`;
    const secret = { ANTHROPIC_API_KEY: modelKey, STOPGO_INTERNAL_TOKEN: rootToken };
    const env = { ...model.env, ...secret };
    platform = await start(place, config, { command, asProcess: true, within, env });
    headers = signsIn ? bearer(await tokenOf('ann@x.example')) : {};
    return platform;
  }

  const signIn = () =>
    `auth: { new_users: first_login, jwt: { issuer: ${issuer}, audience: ${audience}, keys_file: ${JSON.stringify(join(place.folder, 'keys.json'))} } }`;

  const sandbox = () => `
    sandbox: required
    folders: [node_modules, packages, tests]
    write_folders: [${JSON.stringify(join(place.folder, 'tools'))}]`;

  async function send(method: string, path: string, body?: object) {
    const more = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = new URL(path, platform?.url);
    const answer = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...more });
    // biome-ignore lint/suspicious/noExplicitAny: whatever JSON it is
    return { status: answer.status, body: (await answer.json()) as any };
  }

  const erased = (): string => {
    const file = join(place.folder, 'tools', 'erased');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  /** Has the server attack a call of its own that waits; `stolen` is what it has of the bridge's memory. */
  async function attack(running: Platform, stolen: readonly string[]) {
    const asked = await send('POST', '/conversations', { message: 'call erase {"name":"it"}' });
    const { conversation, result } = asked.body;
    const approvalId: string = result.approval.uuid;
    const services = [...running.output().matchAll(/^\[(?:\w|-)+-1\] .*ready on ([\d.]+:\d+)$/gm)];
    const plan = {
      ...{ approvalId, conversationId: conversation.id, runId: conversation.run.id, stolen },
      ...{ port: Number(new URL(running.url).port), addresses: services.map(([, address]) => address) },
    };
    writeFileSync(join(place.folder, 'tools', 'plan.json'), JSON.stringify(plan));
    const attacked = await send('POST', '/conversations', { message: 'call attack {}' });
    expect(attacked.body.result.response).toContain('attacked');
    const report = JSON.parse(readFileSync(join(place.folder, 'tools', 'report.json'), 'utf8')) as Report;
    // All services but the gateway, whose port is another one.
    expect(plan.addresses).toHaveLength(command === 'services' ? 4 : 0);
    return { report, approvalId };
  }

  const secrets = () => {
    const made = new Secret(rootToken);
    return [rootToken, modelKey, natsPassword(made), ...peerNames.map((name) => peerToken(made, name).reveal())];
  };

  /** The token of the bridge, next to which it runs: the one that it might read in memory. */
  const ofBridge = () => peerToken(new Secret(rootToken), 'mcp-bridge').reveal();

  function expectNoSecret({ found }: Report): void {
    const all = found.join('\n');
    expect(secrets().filter((secret) => all.includes(secret))).toEqual([]);
  }

  /** Whatever was tried over gRPC, with whatever token: nothing was done. */
  function expectNothingOverGrpc({ grpc, tokens }: Report): void {
    for (const [address, tries] of Object.entries(grpc)) {
      expect(tries, address).toHaveLength(tokens);
      const outcomes = tries.flatMap((one) => Object.values(one));
      expect(outcomes, address).not.toContain('DONE');
      // Those of other services do not exist there.
      for (const outcome of outcomes)
        expect(['unauthenticated', 'permission_denied', 'unimplemented'], address).toContain(outcome);
      // With no token, and at last with that of the bridge, which is known, and may not.
      expect(Object.values(tries[0] ?? {}), address).toContain('unauthenticated');
      expect(Object.values(tries.at(-1) ?? {}), address).toContain('permission_denied');
    }
  }

  const skipped = command === 'services' && !hasNatsServer;

  test.skipIf(skipped)(
    'finds no secret and decides nothing over gRPC; without a sign-in it decides at the port, as the docs say',
    async () => {
      const { report, approvalId } = await attack(await begin(), [ofBridge()]);
      // It did look.
      expect(report.found).toContain('STOPGO_ENVIRONMENT_FD=9');
      expectNoSecret(report);
      expectNothingOverGrpc(report);
      expect(report.rest).toMatch(/^20[02]$/);
      await until('its call has run', async () => (erased() === 'it\n' ? true : undefined));
      const { body } = await send('GET', `/approvals/${approvalId}`);
      expect(JSON.stringify(body)).toContain('mallory');
    },
    startMs,
  );

  test.skipIf(skipped)(
    'where people sign in, it decides nothing',
    async () => {
      const running = await begin({ signsIn: true });
      const { report, approvalId } = await attack(running, [ofBridge()]);
      expectNoSecret(report);
      expectNothingOverGrpc(report);
      expect(report.rest).toBe('401');
      expect(erased()).toBe('');
      const decided = await send('POST', `/approvals/${approvalId}`, { approved: true });
      expect(decided.body.result.response).toContain('erase it');
      expect(erased()).toBe('it\n');
    },
    startMs,
  );

  test.skipIf(skipped || !canSandbox)(
    'in a sandbox it sees nothing and decides nothing, also where nobody signs in',
    async () => {
      const running = await begin({ sandboxed: true });
      const { report, approvalId } = await attack(running, [ofBridge()]);
      expect(report.found.filter((entry) => entry.includes(place.folder))).toEqual([]);
      expectNoSecret(report);
      expect(report.rest).toBe('none: ECONNREFUSED');
      for (const tries of Object.values(report.grpc))
        for (const outcome of tries.flatMap((one) => Object.values(one))) expect(outcome).toBe('unavailable');
      expect(erased()).toBe('');
      const decided = await send('POST', `/approvals/${approvalId}`, { approved: true });
      expect(decided.body.result.response).toContain('erase it');
    },
    startMs,
  );
});
