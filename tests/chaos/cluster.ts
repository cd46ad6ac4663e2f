import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../free-ports.ts';
import type { Bundle } from '../promises/bundle.ts';
import { readJournals, type ToolRun } from '../promises/journal.ts';
import { pause } from '../promises/patient-client.ts';
import { treeAgent } from '../promises/tree-agent.ts';
import { Child, type ChildSpec } from './child.ts';
import { deskSecret, deskSecretValue, type Receiver, rulesOf } from './demanding.ts';
import { Gate } from './gate.ts';
import { natsConfiguration, natsPassword, natsUser } from './nats-server.ts';
import type { ProgramName } from './programs.ts';
import type { Part } from './schedule.ts';
import { type Service, type ServiceReplicas, services } from './services.ts';

export type ClusterOptions = {
  readonly bundle: Bundle<ProgramName>;
  /** The nats-server program. Absent: the one store keeps the embedded log. */
  readonly natsServer?: string;
  readonly replicas: ServiceReplicas;
  /** Time to live of a heartbeat, in milliseconds. */
  readonly ttlMs: number;
  /** How long one call of a tool may take, in milliseconds. */
  readonly toolTimeoutMs?: number;
  /** Each orchestrator reaches the (first) store through a gate of its own. */
  readonly storeGates?: boolean;
  /** Every second orchestrator begins runs of an agent that is a tree. */
  readonly hasTree?: boolean;
  /** The webhook that is told of what rules demand; absent: there are no rules. */
  readonly desk?: Receiver;
};

/** Ports of what is no service of ours: NATS and its monitoring, two tool servers, the model. */
const otherPorts = 5;
/** Tool servers: mcp-resources, and the ledger. */
const toolServers = 2;
/** How long one call of a tool may take if nothing else is said, in milliseconds: less than a long freeze. */
export const toolTimeoutMsDefault = 3_000;
/** How long the platform has to answer for the first time, in milliseconds. */
const startMs = 60_000;
const internalToken = 'an-internal-token-of-a-test';
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The platform as separate processes, with its tool servers, its model and its nats-server. Every process keeps its
 * addresses through all its lives. The stores reach NATS through a gate that can be cut.
 */
export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'stopgo-chaos-'));
  readonly nats = new Gate();
  /** What ended though nobody struck it. */
  readonly crashes: string[] = [];
  readonly token = internalToken;
  private readonly options: ClusterOptions;
  private readonly children = new Map<Part | 'model', readonly Child[]>();
  private readonly journals = [join(this.folder, 'resources.journal'), join(this.folder, 'ledger.journal')];
  private gatewayUrls: readonly string[] = [];
  private storeAddresses: readonly string[] = [];

  private constructor(options: ClusterOptions) {
    this.options = options;
  }

  /** Starts everything; resolves when every gateway has answered. Nothing is left behind if it fails. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options);
    try {
      await cluster.launch();
      await cluster.ready();
      return cluster;
    } catch (error) {
      await cluster.end();
      throw error;
    }
  }

  /** HTTP addresses of the gateways. */
  get gateways(): readonly string[] {
    return this.gatewayUrls;
  }

  /** gRPC addresses of the stores. */
  get stores(): readonly string[] {
    return this.storeAddresses;
  }

  /** The way of each orchestrator to its store, in their order; only if they were asked for. */
  readonly storeGates: Gate[] = [];

  get model(): Child {
    return this.child('model', 0);
  }

  child(part: Part | 'model', replica: number): Child {
    const found = this.children.get(part)?.[replica];
    if (found === undefined) throw new Error(`there is no ${part} ${replica}`);
    return found;
  }

  count(part: Part): number {
    return this.children.get(part)?.length ?? 0;
  }

  toolRuns(): ToolRun[] {
    return readJournals(this.journals);
  }

  /** Ends every process. The files stay. */
  async end(): Promise<void> {
    const all = [...this.children.values()].flat();
    for (const child of all) child.thaw();
    await Promise.all(all.map((child) => child.kill()));
    await Promise.all([this.nats, ...this.storeGates].map((gate) => gate.close()));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async launch(): Promise<void> {
    const { replicas, ttlMs, natsServer, toolTimeoutMs = toolTimeoutMsDefault, desk } = this.options;
    const wanted = otherPorts + Object.values(replicas).reduce((sum, count) => sum + count, 0);
    const [natsPort = 0, monitorPort = 0, resourcesPort = 0, ledgerPort = 0, modelPort = 0, ...ports] =
      await freePorts(wanted);
    this.launchTools(resourcesPort, ledgerPort);
    this.launchModel(modelPort);
    const environment = {
      STOPGO_INTERNAL_TOKEN: internalToken,
      STOPGO_OFFLINE_MODEL: `http://127.0.0.1:${modelPort}`,
      GEMINI_API_KEY: 'no-key-for-the-offline-model',
      ...(natsServer === undefined ? {} : await this.launchNats(natsServer, natsPort, monitorPort)),
      ...(desk === undefined ? {} : { [deskSecret]: deskSecretValue }),
    };
    const config = join(this.folder, 'agent.yaml');
    const treeConfig = join(this.folder, 'tree.yaml');
    const settings = configuration({ ttlMs, toolTimeoutMs }, resourcesPort, ledgerPort);
    const rules = (of: string): object => (desk === undefined ? {} : rulesOf(desk, of));
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ ...settings, ...rules('') }));
    writeFileSync(treeConfig, JSON.stringify({ ...settings, ...rules('tree-'), agent: treeAgent }));
    const addresses: Record<string, string[]> = {};
    for (const service of services)
      addresses[service] = ports.splice(0, replicas[service]).map((port) => `127.0.0.1:${port}`);
    const list = (service: Service): string => (addresses[service] ?? []).join();
    const others = {
      STOPGO_STORE: list('store'),
      STOPGO_MCP_BRIDGE: list('mcp-bridge'),
      STOPGO_ORCHESTRATOR: list('orchestrator'),
      STOPGO_APPROVALS: list('approvals'),
    };
    for (const service of services) {
      // As in the middle of a change of the configuration: half of the orchestrators begin runs of another agent, by other rules.
      const configs = service === 'orchestrator' && this.options.hasTree === true ? [config, treeConfig] : [config];
      await this.launchService(service, addresses[service] ?? [], configs, { ...environment, ...others });
    }
    this.gatewayUrls = (addresses.gateway ?? []).map((address) => `http://${address}`);
    this.storeAddresses = addresses.store ?? [];
  }

  private async launchService(
    service: Service,
    addresses: readonly string[],
    configs: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { bundle, storeGates } = this.options;
    const started: Child[] = [];
    for (const [replica, address] of addresses.entries()) {
      const name = `${service}-${replica}`;
      const port = Number(address.split(':')[1]);
      const dataDir = join(this.folder, name);
      mkdirSync(dataDir, { mode: 0o700 });
      const env: Record<string, string> = { ...environment, STOPGO_DATA_DIR: dataDir };
      if (service === 'gateway') env.STOPGO_HTTP_PORT = String(port);
      else env.STOPGO_LISTEN = address;
      if (service === 'orchestrator' && storeGates === true) {
        const gate = new Gate();
        this.storeGates.push(gate);
        env.STOPGO_STORE = `127.0.0.1:${await gate.lead(Number(environment.STOPGO_STORE?.split(/[:,]/)[1]))}`;
      }
      const config = configs[replica % configs.length] ?? '';
      const args = [bundle.programs.stopgo, 'service', service, '--config', config];
      started.push(this.born({ name, command: process.execPath, args, env, tells: true }));
    }
    this.children.set(service, started);
  }

  /** Gives what the stores need to know of it. */
  private async launchNats(command: string, port: number, monitorPort: number): Promise<Record<string, string>> {
    const file = join(this.folder, 'nats.conf');
    writeFileSync(file, natsConfiguration({ port, monitorPort, storeDir: join(this.folder, 'nats') }));
    const env = { NATS_SERVER_NAME: 'nats', NATS_USER: natsUser, NATS_PASSWORD: natsPassword };
    const args = ['--config', file];
    this.children.set('nats', [this.born({ name: 'nats', command, args, env })]);
    return {
      NATS_URL: `nats://${natsUser}:${natsPassword}@127.0.0.1:${await this.nats.lead(port)}`,
      NATS_MONITOR_URL: `http://127.0.0.1:${await this.nats.lead(monitorPort)}`,
    };
  }

  private launchTools(resourcesPort: number, ledgerPort: number): void {
    const { resources } = this.options.bundle.programs;
    const [resourcesJournal = '', ledgerJournal = ''] = this.journals;
    const database = join(this.folder, 'resources.db');
    const command = process.execPath;
    this.children.set('tools', [
      this.born({
        name: 'tools-0',
        command,
        args: [resources, '--db', database, '--http', '--port', String(resourcesPort)],
        env: { MCP_RESOURCES_JOURNAL: resourcesJournal },
      }),
      this.born({
        name: 'tools-1',
        command,
        args: [path('./fixtures/ledger-http.mjs'), ledgerJournal, String(ledgerPort)],
        env: {},
      }),
    ]);
    if (this.count('tools') !== toolServers) throw new Error('the tool servers are not as many as the schedule knows');
  }

  private launchModel(port: number): void {
    const { model } = this.options.bundle.programs;
    const args = [model, '--port', String(port), '--control', '--exit-with-stdin'];
    this.children.set('model', [this.born({ name: 'model', command: process.execPath, args, env: {} })]);
  }

  private born(spec: Omit<ChildSpec, 'logFile'>): Child {
    const logFile = join(this.folder, `${spec.name}.log`);
    const child = new Child({ ...spec, logFile }, (what) => this.crashes.push(what));
    child.start();
    return child;
  }

  /** A conversation needs every service but the approvals, which are asked for their list. */
  private async ready(): Promise<void> {
    const deadline = Date.now() + startMs;
    for (const gateway of this.gatewayUrls) {
      while (!(await answers(gateway))) {
        const [crash] = this.crashes;
        if (crash !== undefined) throw new Error(`${crash} while the platform started; its log is in ${this.folder}`);
        if (Date.now() > deadline) throw new Error(`${gateway} did not answer within ${startMs} ms: ${this.folder}`);
        await pause(100);
      }
    }
  }
}

async function answers(gateway: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(2_000);
    const approvals = await fetch(`${gateway}/approvals`, { signal });
    const tools = await fetch(`${gateway}/tools`, { signal });
    const body = JSON.stringify({ message: 'hello' });
    const created = await fetch(`${gateway}/conversations`, { method: 'POST', body, signal });
    return approvals.ok && tools.ok && (await tools.text()).includes('ledger_note') && created.status === 201;
  } catch {
    return false;
  }
}

function configuration(
  { ttlMs, toolTimeoutMs }: { readonly ttlMs: number; readonly toolTimeoutMs: number },
  resourcesPort: number,
  ledgerPort: number,
) {
  const server = (name: string, port: number) => ({
    name,
    url: `http://127.0.0.1:${port}/mcp`,
    timeout: `${toolTimeoutMs}ms`,
  });
  return {
    name: 'chaos',
    prompt: 'You look after resources.',
    host: '127.0.0.1',
    port: 0,
    // Calls between the services: what a failed run is understood by.
    log_level: 'debug',
    heartbeat_ttl: `${ttlMs}ms`,
    sync_wait: '2s',
    mcp_servers: [server('resources', resourcesPort), server('ledger', ledgerPort)],
  };
}
