/** One piece of a run, with the seconds that it takes on a slow machine, about. */
export type Step = { readonly name: string; readonly seconds: number; run(): Promise<void> };

/**
 * Does one step after the other and says before each how long the rest will take, as the steps before it went. `after` is
 * called after each. A step that fails is told and does not keep the others from being done; gives the reasons.
 */
export async function runSteps(
  steps: readonly Step[],
  say: (text: string) => void,
  after: () => void,
): Promise<readonly string[]> {
  const failed: string[] = [];
  const expected = (some: readonly Step[]): number => some.reduce((sum, { seconds }) => sum + seconds, 0);
  const began = performance.now();
  for (const [index, step] of steps.entries()) {
    const passed = (performance.now() - began) / 1_000;
    const pace = index === 0 ? 1 : passed / expected(steps.slice(0, index));
    const minutesLeft = (pace * expected(steps.slice(index))) / 60;
    say(`[${index + 1}/${steps.length}] ${step.name}; ${minutesLeft.toFixed(1)} minutes left`);
    const since = performance.now();
    try {
      await step.run();
      say(`    done in ${((performance.now() - since) / 1_000).toFixed(0)} s`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failed.push(`${step.name}: ${reason}`);
      say(`    failed: ${reason}`);
    }
    after();
  }
  return failed;
}
