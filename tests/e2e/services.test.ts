import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { natsPassword } from '@stopgo/cli';
import { peerNames, peerToken, Secret } from '@stopgo/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { anthropicKey, geminiKey, type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import {
  journaledConfig,
  type Platform,
  resourcesConfig,
  start,
  startRefused,
  stopgo,
  type Workplace,
  workplace,
} from './platform.ts';
import { noneLeftOf, processesOf } from './processes.ts';

/** The services as processes of their own, as `stopgo services` starts them: over gRPC and NATS JetStream. */
let model: ScriptedModel;

beforeAll(async () => {
  model = await scriptedModel();
});

afterAll(() => model.stop());

const call = (tool: string, name: string) => ({ message: `call ${tool} ${JSON.stringify({ name })}` });
/** From which the tokens of the services are made. */
const rootToken = 'the-token-of-the-launcher-in-a-test';
/** On a busy machine; a quiet one needs a tenth. */
const startMs = 90_000;

const launch = (place: Workplace, yaml: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  start(place, yaml, { command: 'services', args, env: { ...model.env, ...env } });

/** Processes of a test whose command line holds these words in a row. */
function pidsOf(place: Workplace, ...words: readonly string[]): number[] {
  return processesOf(place.folder).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words.join('\0')),
  );
}

function variableOf(pid: number | undefined, name: string): string | undefined {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return variables.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Where each launched process last said that it is ready. */
const addressesOf = (platform: Platform): ReadonlyMap<string, string> =>
  new Map(
    [...platform.output().matchAll(/^\[(\S+)\] .*ready on (\S+)$/gm)].map(([, name = '', at = '']) => [name, at]),
  );

const addressOf = (platform: Platform, name: string): string => addressesOf(platform).get(name) ?? '';

describe.skipIf(!hasNatsServer)('on NATS', () => {
  describe('with replicas', () => {
    let place: Workplace;
    let journal: Journal;
    let platform: Platform;
    let first: Client;
    let second: Client;

    beforeAll(async () => {
      place = workplace();
      journal = journalOf(place);
      const replicas = ['--replicas', 'store=2,orchestrator=2,gateway=2'];
      platform = await launch(place, journaledConfig(place), replicas, {
        ...{ CLOUD_PASSWORD: 'nobodys-business', STOPGO_INTERNAL_TOKEN: rootToken },
      });
      first = client(platform.url);
      second = client(addressOf(platform, 'gateway-2'));
    }, startMs);

    afterAll(async () => {
      await platform?.end('SIGTERM');
      await noneLeftOf(place.folder);
      place.remove();
    }, startMs);

    test('any gateway answers the same, and decides what another was asked', async () => {
      const { body, status } = await first.post('/conversations', call('erase', 'by-both'));
      expect(status).toBe(201);
      expect(body.result.waiting_approval).toBe(true);
      const path = `/conversations/${body.conversation.id}`;
      expect((await second.get(path)).body).toEqual((await first.get(path)).body);
      const decided = await second.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
      expect(decided.body.result.response).toContain('erase by-both');
      expect(journal.began('erase', 'by-both')).toBe(1);
      expect((await first.get(path)).body.conversation.run?.status).toBe('completed');
    });

    test('no process shows a secret: not in its environment, not in a line, not in a file', async () => {
      const root = new Secret(rootToken);
      const secrets = [
        ...[rootToken, natsPassword(root), geminiKey, anthropicKey, 'nobodys-business'],
        ...peerNames.map((name) => peerToken(root, name).reveal()),
      ];
      const started = processesOf(place.folder).filter((pid) => variableOf(pid, 'STOPGO_LAUNCHED_FOR') !== undefined);
      // Two stores, two orchestrators, two gateways, one of the others, nats-server and its guard.
      expect(started).toHaveLength(10);
      const printed = platform.output();
      const kept = filesIn(place.folder);
      expect(kept.some((file) => file.includes('jetstream'))).toBe(true);
      for (const secret of secrets) {
        expect(started.filter((pid) => readFileSync(`/proc/${pid}/environ`).includes(secret))).toEqual([]);
        expect(printed).not.toContain(secret);
        expect(kept.filter((file) => readFileSync(file).includes(secret))).toEqual([]);
      }
    });

    test('every line says who printed it', () => {
      const lines = platform.output().trimEnd().split('\n');
      const names = new Set(lines.map((line) => /^\[([a-z-]+-\d|nats)\] \d\d:\d\d:\d\d \| /.exec(line)?.[1] ?? line));
      for (const name of ['store-1', 'mcp-bridge-1', 'orchestrator-2', 'approvals-1', 'gateway-2'])
        expect(names).toContain(name);
      const own = lines.filter((line) => !line.startsWith('['));
      for (const line of own) expect(line).toMatch(/^\d\d:\d\d:\d\d \| (INFO|WARN) \| /);
    });

    test('the log can be verified through the store', async () => {
      const env = { STOPGO_INTERNAL_TOKEN: rootToken };
      const { code, output } = await stopgo(['verify', '--store', addressOf(platform, 'store-1')], { env });
      expect(output).toMatch(/^\d+ streams, \d+ events: every hash chain holds and every view equals its events\n$/);
      expect(code).toBe(0);
    });

    test('whatever is killed is started again, where it was, and everything goes on', {
      timeout: 3 * startMs,
    }, async () => {
      const victims = [
        ['store-\\d', ['service', 'store']],
        ['mcp-bridge-1', ['service', 'mcp-bridge']],
        ['approvals-\\d', ['service', 'approvals']],
        ['orchestrator-\\d', ['service', 'orchestrator']],
        ['nats', ['nats-server', '--config']],
        ['nats', ['guard']],
        ['gateway-\\d', ['service', 'gateway']],
      ] as const;
      for (const [index, [name, words]] of victims.entries()) {
        // A first try that took effect may be answered 503: the key makes a repeat the same request.
        const keyed = (what: string) => ({ 'idempotency-key': `${what}-past-${index}-0123456789abcdef` });
        const message = call('erase', `past-${index}`);
        const asked = await patiently(() => first.post('/conversations', message, keyed('ask')));
        expect(asked.body.result.waiting_approval, name).toBe(true);
        const addresses = addressesOf(platform);
        const before = platform.output().length;
        const killed = pidsOf(place, ...words);
        for (const pid of killed) process.kill(pid, 'SIGKILL');
        const since = () => platform.output().slice(before);
        await until(`${name} is started again`, async () =>
          new RegExp(
            `\\| WARN \\| ${name} ended unexpectedly \\(signal SIGKILL\\); it is started again in \\d+ ms`,
          ).test(since())
            ? true
            : undefined,
        );
        const uuid = asked.body.result.approval?.uuid;
        const decided = await patiently(() => first.post(`/approvals/${uuid}`, { approved: true }, keyed('decide')));
        expect([200, 202], decided.text).toContain(decided.status);
        await until(`erase past-${index} ran`, async () =>
          journal.began('erase', `past-${index}`) > 0 ? true : undefined,
        );
        expect(journal.began('erase', `past-${index}`)).toBe(1);
        expect(addressesOf(platform)).toEqual(addresses);
        expect(killed.filter((pid) => processesOf(place.folder).includes(pid))).toEqual([]);
      }
    });
  });

  describe('one of each', () => {
    let place: Workplace;
    let platform: Platform | undefined;

    beforeEach(() => {
      place = workplace();
    });

    afterEach(async () => {
      await platform?.discard();
      platform = undefined;
      await noneLeftOf(place.folder);
      place.remove();
    }, startMs);

    test('a launcher that is killed leaves nothing behind, and the next one goes on from there', {
      timeout: 2 * startMs,
    }, async () => {
      journalOf(place);
      platform = await launch(place, journaledConfig(place));
      const asked = await client(platform.url).post('/conversations', call('erase', 'in-between'));
      platform.process.kill('SIGKILL');
      await noneLeftOf(place.folder);
      platform = await launch(place, journaledConfig(place));
      const http = client(platform.url);
      const { body } = await http.post(`/approvals/${asked.body.result.approval?.uuid}`, { approved: true });
      expect(body.result.response).toContain('erase in-between');
      expect(await platform.end('SIGTERM')).toBe(0);
      const stopped = [...platform.output().matchAll(/^\[(\S+)-1\] .*Shutting down server/gm)].map(([, name]) => name);
      expect(stopped).toEqual(['gateway', 'approvals', 'orchestrator', 'mcp-bridge', 'store']);
    });

    test('a tool server that fails ends all that was started, with its one line', { timeout: startMs }, async () => {
      const yaml = resourcesConfig(place).replace(
        'mcp_servers:',
        `mcp_servers:\n  - {name: broken, command: node, args: [-e, "console.error('no database'); process.exit(3)"]}`,
      );
      const { code, errors } = await startRefused(place, yaml, { command: 'services', env: model.env });
      expect(errors).toMatch(
        /^Failed to start agent: failed to start MCP clients: failed to start MCP server "broken": .*no database.*\n$/,
      );
      expect(code).toBe(1);
      await noneLeftOf(place.folder);
    });
  });
});

/** A service that was killed a moment ago may be asked again. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  return until('it is answered', async () => {
    const answer = await ask().catch(() => undefined);
    return answer === undefined || answer.status === 503 || answer.status === 504 ? undefined : answer;
  });
}

describe('refused before anything is started', () => {
  let place: Workplace;

  beforeEach(() => {
    place = workplace();
  });

  afterEach(async () => {
    await noneLeftOf(place.folder);
    place.remove();
  });

  const refused = (yaml: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
    startRefused(place, yaml, { command: 'services', args, env: { ...model.env, ...env } });

  test.each([
    [
      'mcp-bridge=2',
      /^Failed to start agent: mcp_servers\[0\] "resources": a server with a command would run once in each of 2 bridges; set "stateless: true" .*\n$/,
    ],
    ['store=0', /^stopgo: --replicas takes NAME=COUNT, .* from 1 to 32; found "store=0"\n$/],
    ['web=1', /^stopgo: --replicas: there is no service "web"; the services are store, .*\n$/],
    ['store=2,store=3', /^stopgo: --replicas names store twice; name it once\n$/],
  ])('--replicas %s', async (replicas, line) => {
    const { code, errors, output } = await refused(resourcesConfig(place), ['--replicas', replicas]);
    expect(errors).toMatch(line);
    expect(output).not.toMatch(/^\[/m);
    expect(code).toBe(1);
  });

  test('no nats-server', async () => {
    const { code, errors } = await refused(resourcesConfig(place), [], {
      STOPGO_NATS_SERVER: join(place.folder, 'none'),
    });
    expect(errors).toMatch(/^Failed to start agent: STOPGO_NATS_SERVER: \S+none is no program .*name a nats-server\n$/);
    expect(code).toBe(1);
  });

  test.skipIf(!hasNatsServer)('a port in use, and a data directory in use', async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    const { port } = other.address() as { port: number };
    const taken = await refused(resourcesConfig(place).replace('port: 0', `port: ${port}`));
    other.close();
    expect(taken.errors).toMatch(
      /^Failed to start agent: cannot listen on 127\.0\.0\.1:\d+: the port is in use; .*\n$/,
    );
    const running = await start(place, resourcesConfig(place), { command: 'start', env: model.env });
    const { errors } = await refused(resourcesConfig(place));
    await running.end('SIGTERM');
    expect(errors).toMatch(/^Failed to start agent: the data directory \S+ is in use by another process; .*\n$/);
  });
});
