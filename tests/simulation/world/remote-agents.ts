import type { RemoteQuestion } from '@stopgo/core';
import type { AgentAsks, DelegationAnswer, DelegationOutcome, DelegationRequest, LookedUp } from '@stopgo/orchestrator';
import { checkDecision, checkNewTask } from './checks-tasks.ts';
import { Random } from './random.ts';
import { isOver, type Question, type Task, type Traits, textOf, traitsOf } from './remote-task.ts';
import type { World } from './world.ts';

/** How many questions a task asks, one number for each time that it asks. */
const plans = [[], [1], [1], [1, 1], [2], [3], [2, 1], [1, 1, 1]] as const;
/** Longest time for which a task shows what it was answered, or hides what it still waits for, in milliseconds. */
const staleMostMs = 700;

/** The other agents, which outlive every process of the platform, their tasks, and the people there. */
export class RemoteAgents {
  readonly tasks = new Map<string, Task>();
  private readonly world: World;
  private readonly random: Random;
  private downUntil = 0;
  private questions = 0;

  constructor(world: World) {
    this.world = world;
    this.random = new Random(world.scenario.seed ^ 0x0a2a0a2a);
  }

  /** Nobody can be reached for a while. */
  goDown(ms: number): void {
    this.downUntil = this.world.scheduler.now + ms;
    this.world.trace(() => `the other agents are down until ${this.downUntil.toFixed(0)}`);
  }

  isDown(): boolean {
    return this.world.scheduler.now < this.downUntil;
  }

  async send(request: DelegationRequest, tell: (task: Task) => void): Promise<DelegationOutcome> {
    if (this.isDown()) return { kind: 'unavailable', message: 'nobody is there' };
    const { forwardsBearer, url } = request.agent;
    if (forwardsBearer && this.world.faults.hit('agentWantsToken')) return { kind: 'unauthenticated' };
    const traits = traitsOf(url);
    const known = [...this.tasks.values()].find((one) => one.request.messageId === request.messageId);
    const task = known !== undefined && traits.isIdempotent ? known : this.begin(request, traits);
    tell(task);
    return this.atRest(task);
  }

  async answer(instance: string, request: DelegationRequest, answer: DelegationAnswer) {
    const task = this.tasks.get(request.taskId);
    const refused = (message: string) => {
      this.world.count('answers refused there');
      return { kind: 'unavailable', message } as const;
    };
    if (this.isDown()) return refused('nobody is there');
    if (task === undefined) return refused('there is no such task');
    const isKnown = task.traits.isIdempotent && task.taken.has(answer.messageId);
    if (!isKnown) {
      if (isOver(task)) return refused('the task has ended');
      if (this.world.faults.hit('agentRefuses')) return refused('not now');
      const question =
        answer.approvalId === '' ? task.open[0] : task.open.find(({ shown }) => shown.key === answer.approvalId);
      if (question === undefined) return refused('it asks nothing of that kind');
      if (question.shown.kind === 'auth' && answer.verdict !== 'token') return refused('it wants a token');
      task.taken.add(answer.messageId);
      checkDecision(this.world, instance, task, question, answer);
      this.decide(task, question, answer.verdict);
    } else this.world.count('answers that were taken before');
    if (answer.isOneOfSeveral && !isAtRest(task, this.world.scheduler.now))
      return { kind: 'running', ...seen(task) } as const;
    return this.atRest(task);
  }

  lookUp(request: DelegationRequest): LookedUp {
    const traits = traitsOf(request.agent.url);
    const task =
      this.tasks.get(request.taskId) ??
      (traits.lists ? [...this.tasks.values()].find((one) => one.request.contextId === request.contextId) : undefined);
    if (task === undefined)
      return traits.isIdempotent ? { kind: 'repeatable' } : { kind: 'unknown', message: 'it cannot say' };
    const { now } = this.world.scheduler;
    if (task.stale !== undefined && now < task.stale.until) return asks(task, task.stale.questions);
    if (isOver(task)) return { kind: 'outcome', outcome: finished(task) };
    return isAtRest(task, now) ? asks(task) : { kind: 'running', ...seen(task) };
  }

  cancel(request: DelegationRequest): void {
    const task =
      this.tasks.get(request.taskId) ??
      [...this.tasks.values()].find((one) => one.traits.lists && one.request.contextId === request.contextId);
    if (task === undefined || isOver(task)) return;
    this.world.count('tasks canceled from here');
    this.end(task, 'canceled');
  }

  private begin(request: DelegationRequest, traits: Traits): Task {
    checkNewTask(this.world, request, this.tasks.values());
    const task: Task = {
      id: `task-${this.tasks.size + 1}`,
      request,
      traits,
      left: this.random.pick(plans).map((count) => (traits.showsIds ? count : 1)),
      all: [],
      taken: new Set(),
      waiting: [],
      open: [],
      state: 'working',
      busyUntil: 0,
      changedAt: 0,
    };
    this.tasks.set(task.id, task);
    this.world.count('tasks there');
    this.goOn(task);
    return task;
  }

  /** It asks what is next, or ends. */
  private goOn(task: Task): void {
    task.state = 'working';
    this.later(this.random.between(0, this.random.pick([50, 500, 4_000])), task, () => {
      if (task.open.length > 0) return;
      const count = task.left.shift();
      if (count === undefined) {
        this.end(task, this.random.chance(0.9) ? 'completed' : 'failed');
        return;
      }
      const isAuth = this.random.chance(0.12);
      task.open = Array.from({ length: count }, (_, index) => this.question(task, isAuth && index === 0));
      task.state = isAuth ? 'auth-required' : 'input-required';
      this.world.trace(() => `${task.id} asks ${task.open.map(({ shown }) => shown.key).join()}`);
      for (const one of task.open) this.othersMeddle(task, one);
      this.tellAll(task);
    });
  }

  /** A new question; with the key of one before it is another one all the same. */
  private question(task: Task, isAuth: boolean, sameKey?: string): Question {
    task.changedAt = this.world.scheduler.now;
    this.questions += 1;
    const { questions: number } = this;
    const key = sameKey ?? (isAuth ? `auth q${number}` : `q${number}`);
    const prompt = `may I do ${number}?`;
    const approval = {
      id: key,
      tool: 'pay',
      server: 'bank',
      argumentsJson: `{"n":${number}}`,
      choices: ['approve', 'reject'],
      agents: [],
    };
    const shown: RemoteQuestion = isAuth
      ? { key, kind: 'auth', prompt }
      : { key, kind: 'approval', prompt, ...(task.traits.showsIds ? { approval } : {}) };
    const question = { shown };
    task.all.push(question);
    this.world.count(isAuth ? 'tokens wanted there' : 'questions there');
    return question;
  }

  /** Somebody else decides it, cancels the task, or the question becomes another one. */
  private othersMeddle(task: Task, question: Question): void {
    const { faults } = this.world;
    const soon = (): number => this.random.between(0, this.random.pick([500, 3_000, 20_000]));
    const meddle = (what: string, act: () => void): void =>
      this.later(soon(), task, () => {
        if (!task.open.includes(question)) return;
        this.world.count(what);
        this.world.trace(() => `${task.id} ${question.shown.key}: ${what}`);
        act();
      });
    if (faults.hit('decidedThere'))
      meddle('questions decided there', () => this.decide(task, question, this.random.pick(['approved', 'rejected'])));
    if (faults.hit('canceledThere')) meddle('tasks canceled there', () => this.end(task, 'canceled'));
    if (faults.hit('questionChanges'))
      meddle('questions changed there', () => {
        question.end = 'changed';
        const { key, kind } = question.shown;
        const other = this.question(task, kind === 'auth', this.random.chance(0.6) ? key : undefined);
        task.open = task.open.map((one) => (one === question ? other : one));
        this.othersMeddle(task, other);
      });
  }

  private decide(task: Task, question: Question, verdict: string): void {
    const { scheduler, faults } = this.world;
    const before = task.open.map(({ shown }) => shown);
    question.end = verdict;
    task.changedAt = scheduler.now;
    task.open = task.open.filter((one) => one !== question);
    this.world.trace(() => `${task.id} ${question.shown.key} is answered: ${verdict}`);
    if (faults.hit('agentShowsWhatWas'))
      task.stale = { until: scheduler.now + this.random.between(0, staleMostMs), questions: before };
    if (verdict === 'rejected' && this.random.chance(0.4)) {
      this.end(task, 'completed');
      return;
    }
    if (task.open.length === 0) {
      this.goOn(task);
      return;
    }
    if (task.open.every(({ shown }) => shown.kind !== 'auth')) task.state = 'input-required';
    if (this.random.chance(0.5)) {
      task.busyUntil = scheduler.now + this.random.between(0, staleMostMs);
      this.later(task.busyUntil - scheduler.now + 1, task, () => this.tellAll(task));
    }
  }

  private end(task: Task, state: 'completed' | 'failed' | 'canceled'): void {
    for (const one of task.open) one.end = state;
    task.open = [];
    task.state = state;
    task.changedAt = this.world.scheduler.now;
    this.world.trace(() => `${task.id} of ${task.request.key.callId} is ${state}`);
    this.tellAll(task);
  }

  private tellAll(task: Task): void {
    for (const told of task.waiting.splice(0)) told();
  }

  /** What the task came to, or waits for, once it does not go on by itself. */
  private async atRest(task: Task): Promise<Exclude<DelegationOutcome, { kind: 'unavailable' | 'unauthenticated' }>> {
    while (!isAtRest(task, this.world.scheduler.now)) await new Promise<void>((told) => task.waiting.push(told));
    return isOver(task) ? finished(task) : asks(task);
  }

  private later(ms: number, task: Task, act: () => void): void {
    this.world.scheduler.after(ms, undefined, () => {
      if (!isOver(task)) act();
    });
  }
}

function isAtRest(task: Task, now: number): boolean {
  return isOver(task) || (task.open.length > 0 && now >= task.busyUntil);
}

function seen({ id, state }: Task) {
  return { task: { id, state }, text: '' };
}

function asks(task: Task, questions: readonly RemoteQuestion[] = task.open.map(({ shown }) => shown)): AgentAsks {
  const state = questions.some(({ kind }) => kind === 'auth') ? 'auth-required' : 'input-required';
  return {
    kind: 'asks',
    task: { id: task.id, state },
    text: 'may I?',
    questions,
    isIdempotent: task.traits.isIdempotent,
  };
}

function finished(task: Task): Extract<DelegationOutcome, { kind: 'finished' }> {
  const { id, state } = task;
  return { kind: 'finished', task: { id, state }, text: textOf(task), isError: state !== 'completed', durationMs: 1 };
}
