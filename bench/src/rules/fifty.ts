/** How many rules a policy of the bench has. */
export const rulesCount = 50;

/**
 * Fifty rules of which none matches a call of the tool `name`, so that all are looked at. Every `nth` is about the tool, and has its predicate
 * evaluated; the others are about other tools. As a configuration holds them.
 */
export function fiftyRules(name: string, nth: number): readonly object[] {
  return Array.from({ length: rulesCount }, (_, index) => ({
    name: `rule ${index}`,
    verdict: 'ask',
    ...((index + 1) % nth === 0
      ? {
          tool: `${name}*`,
          when: `args.note == "note-that-is-not-there-${index}" && run.calls_of_tool < ${100 + index}`,
        }
      : { tool: `tool_${index}_*` }),
  }));
}

/** None of them is about the tool, or all are. */
export const nthOf = { names: rulesCount + 1, predicates: 1 } as const;
