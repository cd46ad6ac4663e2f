import { type ChildProcess, spawn } from 'node:child_process';
import type { FromPlatform, PlatformSettings, ToPlatform } from './messages.ts';
import type { PointCounts } from './points.ts';

/** How long the platform is given to do what it is told, in milliseconds. */
const answerMs = 60_000;

/** The process was dead, or died, before it answered. */
export class PlatformDied extends Error {}

/** One life of the platform: a process of its own, from its start to its death. */
export class PlatformProcess {
  /** Resolves, with milliseconds since 1970, once the process is dead. */
  readonly died: Promise<number>;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<FromPlatform['type'], (message: FromPlatform) => void>();
  private readonly seen = new Set<FromPlatform['type']>();
  private isDead = false;

  /** Begins to load the code; nothing is started before `start`. */
  constructor(program: string) {
    this.child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    this.child.on('message', (message: FromPlatform) => {
      this.seen.add(message.type);
      this.waiting.get(message.type)?.(message);
    });
    this.died = new Promise((resolve) => {
      this.child.once('exit', () => {
        this.isDead = true;
        resolve(Date.now());
      });
    });
  }

  /** Starts the platform. Resolves with its address; rejects with `PlatformDied` if it dies on the way. */
  async start(settings: PlatformSettings, crashAt: string | undefined): Promise<string> {
    if (!this.seen.has('loaded')) await this.answer('loaded');
    this.tell({ type: 'start', settings, ...(crashAt === undefined ? {} : { crashAt }) });
    const failed = this.answer('failed').then((message) => {
      throw new Error(message.type === 'failed' ? message.message : '');
    });
    failed.catch(() => undefined);
    const ready = await Promise.race([this.answer('ready'), failed]);
    return ready.type === 'ready' ? ready.address : '';
  }

  /** Chooses where to die; undefined: nowhere. Passings are counted from 0 again. */
  async arm(crashAt: string | undefined): Promise<void> {
    this.tell({ type: 'arm', ...(crashAt === undefined ? {} : { crashAt }) });
    await this.answer('armed');
  }

  /** How often each place was passed since the last `arm` or `start`. */
  async counts(): Promise<PointCounts> {
    this.tell({ type: 'count' });
    const answer = await this.answer('counted');
    if (answer.type !== 'counted') throw new Error('the platform gave no counts');
    return answer.counts;
  }

  /** The end that leaves no time for anything. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Stops in good order. */
  async stop(): Promise<void> {
    if (this.isDead) return;
    this.tell({ type: 'stop' });
    await this.answer('stopped').catch(() => undefined);
    this.kill();
    await this.died;
  }

  private tell(message: ToPlatform): void {
    // It may just have died; then the answer will not come, which is told there.
    if (!this.isDead && this.child.connected) this.child.send(message, () => undefined);
  }

  private async answer(type: FromPlatform['type']): Promise<FromPlatform> {
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<FromPlatform>((resolve, reject) => {
      this.waiting.set(type, resolve);
      timer = setTimeout(() => reject(new Error(`the platform did not say "${type}" in ${answerMs} ms`)), answerMs);
      void this.died.then(() => reject(new PlatformDied(`the platform died before it said "${type}"`)));
    });
    try {
      return await answered;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(type);
    }
  }
}
