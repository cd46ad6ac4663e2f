/** What became of one test of the kit. */
export type Outcome = {
  /** As pytest writes it: the module and class with dots, `::`, the test with its parameters. */
  readonly test: string;
  /** `short`: it failed, and the kit calls that no failure: what the agent only should do. */
  readonly kind: 'passed' | 'failed' | 'short' | 'skipped';
  /** What the kit says of it, in one line; empty for one that passed. */
  readonly said: string;
};

const CASE = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

/** The outcomes in a report in the JUnit format, as pytest writes it. */
export const outcomesIn = (report: string): readonly Outcome[] =>
  [...report.matchAll(CASE)].map(([, classname = '', name = '', body = '']) => ({
    test: `${classname}::${name}`,
    kind: kindOf(body),
    said: messageOf(body),
  }));

function kindOf(body: string): Outcome['kind'] {
  if (/<(?:failure|error)\b/.test(body)) return 'failed';
  if (/<skipped type="pytest\.xfail"/.test(body)) return 'short';
  return /<skipped\b/.test(body) ? 'skipped' : 'passed';
}

const messageOf = (body: string): string =>
  (/<(?:failure|error|skipped)\b[^>]*? message="([^"]*)"/.exec(body)?.[1] ?? '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&[a-z]+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
