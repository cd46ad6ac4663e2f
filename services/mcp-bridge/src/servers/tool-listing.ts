import type { Logger, McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { reasonOf } from '../failures.ts';
import { LineBudget } from '../line-budget.ts';
import { deadlineOf } from '../lines/deadline.ts';
import type { Session } from '../session/session.ts';
import { ListPace } from '../tools/list-pace.ts';
import type { ServerInstructions } from '../tools/server-instructions.ts';
import type { Pinnable } from '../tools/server-pins.ts';
import { type DefinedTool, defineTools, listedName } from '../tools/tool-definitions.ts';
import type { ToolProblem } from '../tools/tool-problem.ts';
import { definitionBounds, idlePatterns, isSelected } from '../tools/tool-selection.ts';

/** What the list of one server's tools needs. */
export type ToolListingDependencies = {
  readonly bounds: BridgeBounds;
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  readonly forwardsBearer: boolean;
  /** The connection as it is now; undefined while there is none. */
  readonly session: () => Session | undefined;
  /** The tools have been listed; they may be others than before. */
  readonly onTools: () => void;
  /** The tools of a session could not be listed: nobody knows what they are now. */
  readonly onFailure: (session: Session, reason: string) => void;
};

/** The tools of one server as last listed, read again after each change. */
export class ToolListing {
  /** For what is said of its tools in the log; what is not is shown all the same. */
  readonly lines: LineBudget;
  readonly #config: McpServerConfig;
  readonly #dependencies: ToolListingDependencies;
  #tools: readonly DefinedTool[] = [];
  #deselected: readonly DefinedTool[] = [];
  #instructions: ServerInstructions | undefined;
  #problems: readonly ToolProblem[] = [];
  #listedAt = 0;
  #isListed = false;
  #reading: Promise<void> | undefined;
  #readingSince = 0;
  #again = false;
  readonly #pace: ListPace;
  #isRestlessnessTold = false;
  #pause: NodeJS.Timeout | undefined;
  /** The list is to be read again once the call that is under way is over. */
  #later = false;

  constructor(config: McpServerConfig, dependencies: ToolListingDependencies) {
    this.#config = config;
    this.#dependencies = dependencies;
    const { bounds, clock } = dependencies;
    this.lines = new LineBudget(bounds.linesMax, bounds.linesPeriodMs, clock);
    this.#pace = new ListPace(bounds);
  }

  /** As last listed; they stay while the server is down. */
  get tools(): readonly DefinedTool[] {
    return this.#tools;
  }

  /** Whether they have been listed since the start; an empty list is one. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Tools that it offers as well, and that the configuration leaves out. */
  get deselected(): readonly DefinedTool[] {
    return this.#deselected;
  }

  /** What it says of how its tools are used; undefined if nothing. */
  get instructions(): ServerInstructions | undefined {
    return this.#instructions;
  }

  /** All that a person accepts, or is taken for accepted when the server is met. */
  get pinned(): readonly Pinnable[] {
    return [...this.#tools, ...this.#deselected, ...(this.#instructions === undefined ? [] : [this.#instructions])];
  }

  /** What is wrong with others of its tools. */
  get problems(): readonly ToolProblem[] {
    return this.#problems;
  }

  /** Settles when the list is not being read (any more); undefined if it is not. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  /** Reads the list of a session. Throws, with what was being done, if it cannot be had in time. */
  async read(session: Session, timeoutMs: number): Promise<void> {
    const { bounds, log, clock, forwardsBearer, onTools } = this.#dependencies;
    const config = this.#config;
    const { name, unannotated, approvalRequired, approvalTools = [], callsAtOnce } = config;
    // The limit is for all pages together.
    const limit = deadlineOf(timeoutMs, 'the question for its tools');
    const listed = await Promise.race([session.listTools(timeoutMs), limit.passed])
      .catch((error: unknown) => {
        throw new Error(`its tools could not be listed: ${reasonOf(error)}`, { cause: error });
      })
      .finally(limit.clear);
    const place = {
      ...config,
      server: name,
      unannotated,
      approvalRequired,
      approvalTools,
      forwardsBearer,
      callsAtOnce,
    };
    const { tools, deselected, problems } = defineTools(listed.definitions, place, {
      ...bounds,
      ...definitionBounds(config, bounds),
    });
    const names = [...listed.definitions.map(listedName), ...listed.problems.flatMap((one) => one.leftOut?.name ?? [])];
    const idle = idlePatterns(config, names).map((line) => ({ line }));
    const told = listed.problems.filter(({ leftOut }) => leftOut === undefined || isSelected(config, leftOut.name));
    const before = new Set(this.#problems.map(({ line }) => line));
    this.#problems = [
      ...told,
      ...problems,
      ...idle,
      ...(session.said.problem === undefined ? [] : [session.said.problem]),
    ].slice(0, bounds.problemsMax);
    for (const { line } of this.#problems)
      if (!before.has(line) && this.lines.admits()) log.warn(`MCP server "${name}": ${line}`);
    this.#tools = tools;
    this.#deselected = deselected;
    this.#instructions = session.said.instructions;
    this.#listedAt = clock();
    this.#isListed = true;
    onTools();
  }

  /**
   * Starts to read the list again if it has changed, or is old. One whose changes are told may be older, but not of any age: there are
   * servers that change their tools and tell nobody. One that is known to have changed, and waits as its server never stops to say so,
   * is old after `freshMs` like any other: a call that people approved does not run by a list that may be another one by now.
   */
  refreshIfStale(freshMs = this.#dependencies.bounds.listFreshMs): void {
    const { bounds, clock, session } = this.#dependencies;
    const current = session();
    if (current === undefined) return;
    const oldMs = current.followsChanges() && !this.#later ? bounds.listRecheckMs : freshMs;
    // The one that is on its way will do for whoever needs it from now on, if it was asked for lately.
    const since = this.#reading === undefined ? this.#listedAt : this.#readingSince;
    const isOld = clock() - since >= oldMs;
    if (this.#later || isOld) this.#readSoon(isOld);
  }

  /**
   * The server says that its list changed: calls wait until it has been read again. Not while a call is under way at a server
   * that is given one at a time: if that is all it can do, it would be taken for dead, and its call with it.
   */
  changed(): void {
    this.#readSoon(false);
  }

  /** `isOld`: whoever needs the list now does not wait for the pause of a restless server. */
  #readSoon(isOld: boolean): void {
    const session = this.#dependencies.session();
    if (session === undefined) return;
    if (this.#reading !== undefined) {
      this.#again = true;
      return;
    }
    this.#later = this.#config.callsAtOnce === 1 && session.callsUnderWay() > 0;
    if (this.#later || (!isOld && this.#isRestless(session))) return;
    this.#readingSince = this.#dependencies.clock();
    this.#reading = this.#readAgain(session).finally(() => {
      this.#reading = undefined;
      if (this.#again) this.changed();
    });
  }

  /** One that never stops to say that its tools changed must not keep its calls waiting, nor us busy: its list has to wait. */
  #isRestless(session: Session): boolean {
    const { clock, log } = this.#dependencies;
    const waitMs = this.#pace.next(clock());
    if (waitMs === 0) return false;
    this.#later = true;
    if (!this.#isRestlessnessTold)
      log.warn(
        `MCP server "${this.#config.name}" keeps saying that its tools changed; its list is read less and less often`,
      );
    this.#isRestlessnessTold = true;
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      if (this.#dependencies.session() === session) this.changed();
    }, waitMs).unref();
    return true;
  }

  async #readAgain(session: Session): Promise<void> {
    const { bounds, onFailure } = this.#dependencies;
    this.#again = false;
    try {
      await this.read(session, bounds.listMs);
    } catch (error) {
      // Its tools are not known any more, so none of them may run.
      onFailure(session, reasonOf(error));
    }
  }
}
