/** What was set up and must be taken down again, whatever happens: undone in the opposite order. */
export class Undo {
  private readonly steps = new Set<() => void>();

  /** Remembers a step. Gives a function that takes it now, instead of at the end; calling that again does nothing. */
  add(step: () => void): () => void {
    this.steps.add(step);
    return () => {
      if (this.steps.delete(step)) step();
    };
  }

  /** Takes every step that is left, also if one of them fails; says what failed. */
  all(): string[] {
    const failures: string[] = [];
    for (const step of [...this.steps].reverse()) {
      this.steps.delete(step);
      try {
        step();
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return failures;
  }
}
