/** The delegations of a run whose agents do not answer when they are asked, by call id. */
export class SilentAgents {
  /** Those to be answered whose agents have not been heard for a while. */
  readonly away: ReadonlySet<string>;
  /** Those to be answered whose agents are silent just now: nobody's request is kept waiting for them. */
  readonly heldUp: ReadonlySet<string>;
  readonly #away = new Set<string>();
  readonly #heldUp = new Set<string>();
  readonly #onHeldUp: () => void;

  /** `onHeldUp`: who is held up has changed. */
  constructor(onHeldUp: () => void) {
    this.#onHeldUp = onHeldUp;
    this.away = this.#away;
    this.heldUp = this.#heldUp;
  }

  setAway(callId: string, isAway: boolean): void {
    if (isAway) this.#away.add(callId);
    else this.#away.delete(callId);
  }

  setHeldUp(callId: string, isHeldUp: boolean): void {
    if (this.#heldUp.has(callId) === isHeldUp) return;
    if (isHeldUp) this.#heldUp.add(callId);
    else this.#heldUp.delete(callId);
    this.#onHeldUp();
  }
}
