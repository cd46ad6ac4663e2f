import { type Actor, failedPrecondition, invalidArgument, isHeld, notFound, visibleLine } from '@stopgo/core';
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

/** What people are shown of tools that are held, and how they accept them. */
export class Acceptance {
  readonly #catalogue: () => Catalogue;
  readonly #pinsOf: (server: string) => ServerPins | undefined;
  readonly #atOnceMax: number;

  constructor(catalogue: () => Catalogue, pinsOf: (server: string) => ServerPins | undefined, atOnceMax: number) {
    this.#catalogue = catalogue;
    this.#pinsOf = pinsOf;
    this.#atOnceMax = atOnceMax;
  }

  /** The tools that are held now. Throws `unavailable` if the log does not answer. */
  held(signal: AbortSignal): Promise<HeldTool[]> {
    return Promise.all(
      this.#held().map(async (tool) => {
        const pins = this.#pinsOf(tool.server);
        return {
          tool,
          acceptedDefinitionJson: (await pins?.acceptedDefinition(tool.ownName, signal)) ?? '',
          acceptedPin: pins?.acceptedPin(tool.ownName) ?? '',
        };
      }),
    );
  }

  /**
   * Accepts tools exactly as they were named. All names are looked at before anything is recorded; then the tools of each server
   * are recorded together.
   *
   * @throws DomainError `not_found` for what no server offers; `failed_precondition` (reason=pin_changed) for what is
   * defined otherwise by now; `unavailable` if it is not known whether all is recorded.
   */
  async accept(asked: readonly NamedPin[], actor: Actor, signal: AbortSignal): Promise<void> {
    if (asked.length === 0 || asked.length > this.#atOnceMax)
      throw invalidArgument(`1 to ${this.#atOnceMax} tools are accepted at once, not ${asked.length}`);
    const byServer = new Map<ServerPins, HeldTool['tool'][]>();
    for (const { server, name, pin } of asked) {
      const label = `the tool "${shown(name)}" of the server "${shown(server)}"`;
      const tool = this.#all().find((one) => one.server === server && one.name === name);
      const pins = this.#pinsOf(server);
      if (tool === undefined || pins === undefined) throw notFound(`there is no ${label.slice('the '.length)}`);
      if (tool.pin !== pin)
        throw failedPrecondition(`${label} is not defined as it was shown; look at it again`, {
          reason: 'pin_changed',
          pin: tool.pin,
        });
      byServer.set(pins, [...(byServer.get(pins) ?? []), tool]);
    }
    for (const [pins, ofServer] of byServer) await pins.accept(ofServer, actor, signal);
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
