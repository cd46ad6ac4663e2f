import type { Logger, McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from './bounds.ts';
import { deadlineOf } from './deadline.ts';
import { reasonOf } from './failures.ts';
import { LineBudget } from './line-budget.ts';
import { ListPace } from './list-pace.ts';
import type { Session } from './session.ts';
import { type DefinedTool, defineTools } from './tool-definitions.ts';
import type { ToolProblem } from './tool-problem.ts';

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
  #problems: readonly ToolProblem[] = [];
  #listedAt = 0;
  #reading: Promise<void> | undefined;
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
    const { name, unannotated, approvalRequired, approvalTools = [], callsAtOnce } = this.#config;
    // The limit is for all pages together.
    const limit = deadlineOf(timeoutMs, 'the question for its tools');
    const listed = await Promise.race([session.listTools(timeoutMs), limit.passed])
      .catch((error: unknown) => {
        throw new Error(`its tools could not be listed: ${reasonOf(error)}`, { cause: error });
      })
      .finally(limit.clear);
    const place = { server: name, unannotated, approvalRequired, approvalTools, forwardsBearer, callsAtOnce };
    const { tools, problems } = defineTools(listed.definitions, place, bounds);
    const before = new Set(this.#problems.map(({ line }) => line));
    this.#problems = [...listed.problems, ...problems].slice(0, bounds.problemsMax);
    for (const { line } of this.#problems)
      if (!before.has(line) && this.lines.admits()) log.warn(`MCP server "${name}": ${line}`);
    this.#tools = tools;
    this.#listedAt = clock();
    onTools();
  }

  /**
   * Starts to read the list again if it has changed, or is old. One whose changes are told may be older, but not of any age: there are
   * servers that change their tools and tell nobody.
   */
  refreshIfStale(freshMs = this.#dependencies.bounds.listFreshMs): void {
    const { bounds, clock, session } = this.#dependencies;
    const current = session();
    if (current === undefined) return;
    const oldMs = current.followsChanges() ? bounds.listRecheckMs : freshMs;
    if (this.#later || clock() - this.#listedAt >= oldMs) this.changed();
  }

  /**
   * The server says that its list changed: calls wait until it has been read again. Not while a call is under way at a server
   * that is given one at a time: if that is all it can do, it would be taken for dead, and its call with it.
   */
  changed(): void {
    const session = this.#dependencies.session();
    if (session === undefined) return;
    if (this.#reading !== undefined) {
      this.#again = true;
      return;
    }
    this.#later = this.#config.callsAtOnce === 1 && session.callsUnderWay() > 0;
    if (this.#later || this.#isRestless(session)) return;
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
