import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJournals, type ToolRun } from '../promises/journal.ts';
import type { ModelProcess, ModelRequest } from '../promises/model-process.ts';
import { branchesAgent } from '../promises/tree-agent.ts';
import { agentsRepository } from './agent-files.ts';
import type { MutantName } from './mutants.ts';
import type { NatsLog, NatsServer } from './nats-log.ts';
import { PlatformDied, PlatformProcess } from './platform-process.ts';
import type { PointCounts } from './points.ts';
import type { Programs } from './programs.ts';

/** One life of the platform, in milliseconds since 1970. */
export type Life = { readonly begunAt: number; readonly endedAt: number };

export type WorldOptions = {
  readonly model: ModelProcess;
  readonly programs: Programs;
  readonly mutant?: MutantName;
  /** Keeps the log; absent: it is embedded. */
  readonly nats?: NatsServer;
  /** False: the files are removed also if something is wrong. */
  readonly keepEvidence?: boolean;
  /** True: the agent is a tree of two branches, not one node. */
  readonly isTree?: boolean;
  /** True: there are agents from git besides. */
  readonly hasAgents?: boolean;
};

const toolOrder = /^tool\.(begin|end)\.(platform|server|both):(\d+)$/;
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * A data directory, its tool servers, and a platform on it that is started again whenever it dies. What lives in it
 * sees addresses come and go, as a client of a real platform would.
 */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'stopgo-crash-'));
  readonly dataDir = join(this.folder, 'data');
  readonly model: ModelProcess;
  readonly lives: Life[] = [];
  readonly options: WorldOptions;
  /** Undefined: the log is in the data directory. */
  readonly natsLog: NatsLog | undefined;
  /** Requests that the model had before this world was. */
  private readonly requestsBefore: number;
  private readonly orders: { tool: string; deaths: string; log: string; config: string };
  private readonly journals = [join(this.folder, 'resources.journal'), join(this.folder, 'ledger.journal')];
  /** Orders for the lives to come, the next one first. */
  private readonly nextCrashes: string[] = [];
  private current: PlatformProcess;
  private spare: PlatformProcess;
  private address: Promise<string>;
  private isEnding = false;
  private running: Promise<void> = Promise.resolve();

  private constructor(options: WorldOptions) {
    this.options = options;
    this.model = options.model;
    this.natsLog = options.nats?.newLog(join(this.folder, 'views'));
    this.requestsBefore = options.model.requests.length;
    const file = (name: string): string => join(this.folder, name);
    this.orders = {
      tool: file('orders'),
      deaths: file('deaths'),
      log: file('platform.log'),
      config: file('agent.yaml'),
    };
    mkdirSync(this.dataDir, { mode: 0o700 });
    writeFileSync(this.orders.deaths, '');
    writeFileSync(this.orders.log, '');
    writeFileSync(this.orders.config, this.configuration());
    this.current = new PlatformProcess(options.programs.platform);
    this.spare = this.current;
    this.address = Promise.resolve('');
  }

  /** A world whose platform is ready. */
  static async open(options: WorldOptions, crashes: readonly string[] = []): Promise<World> {
    const world = new World(options);
    world.nextCrashes.push(...crashes);
    world.live(world.current);
    await world.ready();
    return world;
  }

  /** Where the platform is, once it is ready again. Rejects if it cannot be started. */
  ready(): Promise<string> {
    return this.address;
  }

  /** Counts the lives from 0. */
  get life(): number {
    return this.lives.length;
  }

  /** Deaths of platform and tool servers, in milliseconds since 1970. */
  deaths(): number[] {
    const servers = readFileSync(this.orders.deaths, 'utf8').split('\n').filter(Boolean).map(Number);
    return [...servers, ...this.lives.map((life) => life.endedAt)];
  }

  toolRuns(): ToolRun[] {
    return readJournals(this.journals);
  }

  /** What the model was asked in the lives that are over. */
  modelRequests(): readonly ModelRequest[] {
    return this.model.requests.slice(this.requestsBefore);
  }

  /**
   * Orders deaths: the first in this life, each further one in the life after. An order is `<point>:<nth>`, or
   * `tool.<begin|end>.<platform|server|both>:<nth>`.
   */
  async order(crashes: readonly string[]): Promise<void> {
    const [first, ...rest] = crashes;
    this.nextCrashes.splice(0);
    rmSync(this.orders.tool, { force: true });
    const inPlatform = first === undefined || toolOrder.test(first) ? undefined : first;
    await this.surelyArmed(inPlatform);
    this.nextCrashes.push(...rest);
    if (first !== undefined) this.takeToolOrder(first);
  }

  /** Takes back what was ordered in the platform, and notices a death that nobody has noticed yet. */
  async settle(): Promise<void> {
    await this.surelyArmed(undefined);
  }

  private async surelyArmed(crashAt: string | undefined): Promise<void> {
    let isArmed = false;
    while (!isArmed) isArmed = await this.armed(crashAt);
  }

  /** False: the platform died meanwhile, of an order that was carried out late. */
  private async armed(crashAt: string | undefined): Promise<boolean> {
    await this.ready();
    const { current, running } = this;
    try {
      await current.arm(crashAt);
      return true;
    } catch (error) {
      if (!(error instanceof PlatformDied)) throw error;
      await running;
      return false;
    }
  }

  /** How often each place was passed in this life since the last order. */
  counts(): Promise<PointCounts> {
    return this.current.counts();
  }

  /** Kills the platform, wherever it is. It is started again. */
  kill(): void {
    this.current.kill();
  }

  /** Stops the platform in good order; nothing is started again. The files stay. */
  async end(): Promise<void> {
    this.isEnding = true;
    this.spare.kill();
    await this.address.catch(() => undefined);
    await this.current.stop();
    await this.running;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Gives the next life to a process, and to another one after its death. */
  private live(platform: PlatformProcess): void {
    const begunAt = Date.now();
    this.current = platform;
    const crash = this.nextCrashes.shift();
    const crashAt = crash === undefined || this.takeToolOrder(crash) ? undefined : crash;
    const { log: logFile, config: configFile } = this.orders;
    const { natsLog, options } = this;
    const { mutant } = options;
    const settings = {
      ...{ configFile, logFile, offlineModel: this.model.url },
      ...(mutant && { mutant }),
      ...(natsLog && { natsLog }),
    };
    this.running = platform.died.then((endedAt) => this.goOn({ begunAt, endedAt }));
    const { running } = this;
    this.address = platform.start(settings, crashAt).catch(async (error: unknown) => {
      if (!(error instanceof PlatformDied) || this.isEnding) throw error;
      await running;
      return this.address;
    });
    // Who asks for the address is told; nobody may ask.
    this.address.catch(() => undefined);
    this.spare = new PlatformProcess(this.options.programs.platform);
  }

  private async goOn(life: Life): Promise<void> {
    // Before the next life begins: what was asked until now belongs to this one.
    await this.model.collect(this.life);
    this.lives.push(life);
    if (!this.isEnding) this.live(this.spare);
  }

  private takeToolOrder(crash: string): boolean {
    const order = toolOrder.exec(crash);
    if (order === null) return false;
    writeFileSync(this.orders.tool, order.slice(1).join(' '));
    return true;
  }

  private agents(): object {
    const url = agentsRepository(join(this.folder, 'agents'));
    return {
      agent_folders: [this.folder],
      agent_repositories: [{ name: 'agents', git_url: url, is_root: true, sync_interval: '24h' }],
    };
  }

  private configuration(): string {
    const dieInTool = path('./fixtures/die-in-tool.mjs');
    const [resourcesJournal = '', ledgerJournal = ''] = this.journals;
    const env = { CRASH_ORDERS: this.orders.tool, CRASH_DEATHS: this.orders.deaths };
    const { resources } = this.options.programs;
    const database = join(this.folder, 'resources.db');
    // JSON is YAML.
    return JSON.stringify({
      name: 'crash-test',
      prompt: 'You look after resources.',
      ...(this.options.isTree === true ? { agent: branchesAgent } : {}),
      host: '127.0.0.1',
      port: 0,
      data_dir: this.dataDir,
      ...(this.options.hasAgents === true ? this.agents() : {}),
      // A store on NATS does not know who is dead: whoever goes on waits as long.
      ...(this.natsLog === undefined ? {} : { heartbeat_ttl: '1s' }),
      mcp_servers: [
        {
          name: 'resources',
          command: process.execPath,
          args: ['--import', dieInTool, resources, '--db', database],
          env: { ...env, MCP_RESOURCES_JOURNAL: resourcesJournal },
        },
        {
          name: 'ledger',
          command: process.execPath,
          args: ['--import', dieInTool, path('./fixtures/ledger.mjs'), ledgerJournal],
          env,
          era: 'legacy',
        },
      ],
    });
  }
}
