import { failedPrecondition, invalidArgument, isHeld, notFound, type PinnedTool, visibleLine } from '@stopgo/core';
import type { Catalogue, CatalogueInstructions, CatalogueTool } from './catalogue.ts';
import type { ServerPins } from './server-pins.ts';

/** A tool that is held, or what its server says of its tools, and what was accepted of it before. */
export type HeldTool = {
  readonly tool: CatalogueTool | CatalogueInstructions;
  /** Canonical JSON, and its pin; both empty if nothing was. */
  readonly acceptedDefinitionJson: string;
  readonly acceptedPin: string;
};

/** Exactly one definition of a tool. */
export type NamedPin = { readonly server: string; readonly name: string; readonly pin: string };

/** Tools of one server, by its identity and under its own names for them. */
export type ToolsOfServer = { readonly identity: string; readonly tools: PinnedTool[] };

/** The revision of a server's stream that says what was accepted. */
export type AcceptedAt = { readonly identity: string; readonly revision: number };

/** What people are shown of tools that are held, and what they need to accept them. It accepts nothing itself. */
export class Acceptance {
  readonly #catalogue: () => Catalogue;
  readonly #pins: ReadonlyMap<string, ServerPins>;
  readonly #atOnceMax: number;

  /** `pins`: of each server, by its name. */
  constructor(catalogue: () => Catalogue, pins: ReadonlyMap<string, ServerPins>, atOnceMax: number) {
    this.#catalogue = catalogue;
    this.#pins = pins;
    this.#atOnceMax = atOnceMax;
  }

  /** The tools that are held now. Throws `unavailable` if the log does not answer. */
  held(signal: AbortSignal): Promise<HeldTool[]> {
    return Promise.all(
      this.#held().map(async (tool) => {
        const pins = this.#pins.get(tool.server);
        return {
          tool,
          acceptedDefinitionJson: (await pins?.acceptedDefinition(tool.ownName, signal)) ?? '',
          acceptedPin: pins?.acceptedPin(tool.ownName) ?? '',
        };
      }),
    );
  }

  /**
   * Puts tools on the record exactly as they were named, so that they can be accepted, and tells under which identity of its server
   * each is. All names are looked at before anything is recorded.
   *
   * @throws DomainError `not_found` for what no server offers; `failed_precondition` (reason=pin_changed) for what is
   * defined otherwise by now; `unavailable` if it is not known whether all is recorded.
   */
  async define(asked: readonly NamedPin[], signal: AbortSignal): Promise<ToolsOfServer[]> {
    if (asked.length === 0 || asked.length > this.#atOnceMax)
      throw invalidArgument(`1 to ${this.#atOnceMax} tools are accepted at once, not ${asked.length}`);
    const byServer = new Map<ServerPins, HeldTool['tool'][]>();
    for (const { server, name, pin } of asked) {
      const label = `the tool "${shown(name)}" of the server "${shown(server)}"`;
      const tool = this.#all().find((one) => one.server === server && one.name === name);
      const pins = this.#pins.get(server);
      if (tool === undefined || pins === undefined) throw notFound(`there is no ${label.slice('the '.length)}`);
      if (tool.pin !== pin)
        throw failedPrecondition(`${label} is not defined as it was shown; look at it again`, {
          reason: 'pin_changed',
          pin: tool.pin,
        });
      byServer.set(pins, [...(byServer.get(pins) ?? []), tool]);
    }
    const defined: ToolsOfServer[] = [];
    for (const [pins, ofServer] of byServer)
      defined.push({ identity: pins.identity, tools: await pins.define(ofServer, signal) });
    return defined;
  }

  /** Takes note of what was accepted. Throws `unavailable` if the log does not answer. */
  async learn(accepted: readonly AcceptedAt[], signal: AbortSignal): Promise<void> {
    for (const { identity, revision } of accepted)
      for (const pins of this.#pins.values()) if (pins.identity === identity) await pins.learn(revision, signal);
  }

  #all(): readonly HeldTool['tool'][] {
    const { tools, held, instructions } = this.#catalogue();
    return [...held, ...tools, ...instructions];
  }

  #held(): readonly HeldTool['tool'][] {
    const { held, instructions } = this.#catalogue();
    return [...held, ...instructions.filter(({ pinState }) => isHeld(pinState))];
  }
}

function shown(name: string): string {
  return visibleLine(name.slice(0, 128));
}
