import { DomainError, isRepeatable } from '@stopgo/core';
import { Heartbeat } from '@stopgo/log';
import type { AttemptKey, ExecuteOutcome, ExecuteRequest, FenceOutcome } from '@stopgo/orchestrator';
import { digestOf, isGated } from './gated.ts';
import { beatPort } from './log-port.ts';
import { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

type Attempt =
  | {
      readonly kind: 'running';
      readonly askers: ((outcome: ExecuteOutcome) => void)[];
      isSent: boolean;
      isCanceled: boolean;
    }
  | { readonly kind: 'outcome'; readonly outcome: ExecuteOutcome }
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'fenced' };

/**
 * One instance of the tool bridge, with the promises of its contract: an attempt is on its list before anything of it runs,
 * runs at most once, and never if it was fenced before it came; outcomes may be forgotten, ids are not; a gated call runs
 * only with the digest of what would be sent.
 */
export class Bridge {
  readonly process: VirtualProcess;
  private readonly world: World;
  private readonly attempts = new Map<string, Attempt>();
  /** The calls of each server that takes one at a time: what begins them, and first the one that runs. */
  private readonly lines = new Map<string, (() => void)[]>();
  private readonly heartbeat: Heartbeat;
  private cutUntil = 0;

  constructor(world: World, name: string, address: string) {
    this.world = world;
    this.process = new VirtualProcess(name, 'bridge', world.random.whole(-5_000, 5_000));
    const beat = beatPort(world, this.process, () => world.scheduler.now < this.cutUntil);
    const clock = world.network.clockOf(this.process);
    const { ttlMs } = world.scenario;
    const self = { instance: name, role: 'mcp-bridge', address, renames: true };
    this.heartbeat = new Heartbeat({ beat, clock, ttlMs, ...self });
    void this.heartbeat.run(() => undefined);
  }

  /** The id that it answers to now. */
  get instance(): string {
    return this.heartbeat.instance;
  }

  /** Its heartbeats get lost for a while. */
  cutHeartbeat(ms: number): void {
    this.cutUntil = this.world.scheduler.now + ms;
    this.world.befallen.add(this.process.name);
  }

  execute(request: ExecuteRequest): Promise<ExecuteOutcome> {
    this.checkInstance(request.bridge);
    const id = idOf(request.key);
    const known = this.world.hasMutation('bridge-forgets-attempts') ? undefined : this.attempts.get(id);
    switch (known?.kind) {
      case 'running':
        return new Promise((resolve) => known.askers.push(resolve));
      case 'outcome':
        return Promise.resolve(known.outcome);
      case 'forgotten':
        return Promise.resolve({ kind: 'unknown', message: 'the outcome is not kept any more' });
      case 'fenced':
        this.world.count('fenced attempts refused');
        return Promise.resolve({ kind: 'fenced' });
      case undefined:
        return new Promise((resolve) => this.begin(id, request, resolve));
    }
  }

  fence(key: AttemptKey, instance: string): FenceOutcome {
    this.checkInstance(instance);
    const id = idOf(key);
    const known = this.attempts.get(id);
    this.world.trace(
      () => `${this.process.name} is asked about ${key.callId} attempt ${key.attempt}: ${known?.kind ?? 'never seen'}`,
    );
    switch (known?.kind) {
      case 'running':
        return { kind: 'running', questions: [], lapsed: [] };
      case 'outcome':
        return { kind: 'outcome', outcome: known.outcome };
      case 'forgotten':
        return { kind: 'forgotten' };
      default:
        if (!this.world.hasMutation('fence-does-not-fence')) this.attempts.set(id, { kind: 'fenced' });
        return { kind: 'never_seen' };
    }
  }

  cancel(key: AttemptKey, instance: string): void {
    this.checkInstance(instance);
    const known = this.attempts.get(idOf(key));
    if (known?.kind === 'running' && !known.isSent) known.isCanceled = true;
  }

  /** Forgets the outcomes, but not that the attempts were made. */
  forgetOutcomes(): void {
    this.world.befallen.add(this.process.name);
    for (const [id, attempt] of this.attempts)
      if (attempt.kind === 'outcome')
        this.attempts.set(id, { kind: mayHaveRun(attempt.outcome) ? 'forgotten' : 'fenced' });
  }

  private checkInstance(instance: string): void {
    if (this.heartbeat.hasBeen(instance) || this.world.hasMutation('bridge-answers-for-another')) return;
    this.world.count('another instance asked');
    const details = { reason: 'wrong_instance' };
    throw new DomainError('failed_precondition', `this is ${this.instance}, not ${instance}`, { details });
  }

  private begin(id: string, request: ExecuteRequest, asker: (outcome: ExecuteOutcome) => void): void {
    const { scheduler, network, faults, random } = this.world;
    const attempt: Attempt = { kind: 'running', askers: [asker], isSent: false, isCanceled: false };
    this.attempts.set(id, attempt);
    if (faults.hit('bridgeFreezeInCall'))
      this.world.freeze(this.process, random.between(0.2, 6) * this.world.scenario.ttlMs);
    const end = (outcome: ExecuteOutcome): void => {
      this.attempts.set(id, { kind: 'outcome', outcome });
      for (const tell of attempt.askers) tell(outcome);
      this.leaveLine(request.server);
    };
    // It waits for its turn in the server's queue, and only then passes the gate.
    const start = () =>
      scheduler.after(network.delay(5), this.process, async () => {
        const tool = this.world.tools.catalogue().get(request.tool);
        if (tool !== undefined && !isRepeatable(tool.hints) && !(await this.mayAct(request.bridge)))
          return end({ kind: 'fenced' });
        if (attempt.isCanceled) return end({ kind: 'fenced' });
        const refusal = this.refusal(request);
        if (refusal !== undefined) return end(refusal);
        attempt.isSent = true;
        this.send(request, end);
      });
    this.enterLine(request.server, start);
  }

  private enterLine(server: string, start: () => void): void {
    const { takesOneAtATime } = this.world.scenario;
    const line = (takesOneAtATime && this.lines.get(server)) || [];
    if (takesOneAtATime) this.lines.set(server, line);
    line.push(start);
    if (line.length === 1) start();
    else this.world.count('calls that waited at a bridge');
  }

  private leaveLine(server: string): void {
    const line = this.lines.get(server);
    line?.shift();
    line?.[0]?.();
  }

  private async mayAct(instance: string): Promise<boolean> {
    if (this.world.hasMutation('bridge-sends-though-taken-for-dead')) return true;
    const may = await this.heartbeat.mayAct(instance, new AbortController().signal);
    if (!may) this.world.count('calls not sent by a bridge that was out of touch');
    return may;
  }

  private refusal(request: ExecuteRequest): ExecuteOutcome | undefined {
    const { world } = this;
    const tool = world.tools.catalogue().get(request.tool);
    if (tool === undefined) return { kind: 'not_run', message: 'Tool not found' };
    if (world.faults.hit('toolWantsToken') && tool.forwardsBearer) return { kind: 'unauthenticated' };
    if (world.hasMutation('bridge-without-gate') || world.hasMutation('harm-is-hidden-from-policy')) return undefined;
    if (!isGated(tool) && request.approvalId === '') return undefined;
    if (request.pin !== tool.pin) return { kind: 'pin_changed', current: tool };
    if (request.approvalId === '' || request.digest !== digestOf(tool, request.argumentsJson)) {
      world.count('refused without approval');
      return { kind: 'not_allowed', message: 'the call needs an approval' };
    }
    return undefined;
  }

  private send(request: ExecuteRequest, end: (outcome: ExecuteOutcome) => void): void {
    const { world, process } = this;
    const { scheduler, network, faults, random } = world;
    const tool = world.tools.catalogue().get(request.tool);
    if (tool === undefined) {
      end({ kind: 'not_run', message: 'Tool not found' });
      return;
    }
    const died = (): void => {
      world.count('tool servers died in a call');
      world.befallen.add(process.name);
      const message = 'the server went away during the call';
      scheduler.after(network.delay(), process, () =>
        end(isRepeatable(tool.hints) ? { kind: 'not_run', message } : { kind: 'unknown', message }),
      );
    };
    // A server that runs as the bridge's child dies with it, but is not frozen with it; one over HTTP does neither.
    const isChild = random.chance(0.5);
    scheduler.after(network.delay(10), undefined, () => {
      if (isChild && !process.isAlive) return 'quiet';
      if (faults.hit('toolDiesBefore')) {
        died();
        return 'quiet';
      }
      const argumentsJson = world.hasMutation('bridge-changes-arguments')
        ? request.argumentsJson.replace('"n":', '"n":1')
        : request.argumentsJson;
      world.tools.run(request.key, process.name, tool, argumentsJson);
      if (faults.hit('toolDiesAfter')) {
        died();
        return 'quiet';
      }
      const content = `done ${request.key.callId} ${request.key.attempt}`;
      const isError = random.chance(0.1);
      scheduler.after(network.delay(10), process, () => end({ kind: 'finished', content, isError, durationMs: 1 }));
      return 'quiet';
    });
  }
}

function mayHaveRun(outcome: ExecuteOutcome): boolean {
  return outcome.kind === 'finished' || outcome.kind === 'unknown';
}

function idOf({ conversationId, runId, callId, attempt }: AttemptKey): string {
  return `${conversationId} ${runId} ${callId} ${attempt}`;
}
