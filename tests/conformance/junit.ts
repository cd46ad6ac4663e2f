/** What became of one test of the kit. */
export type Outcome = {
  /** As pytest writes it: the module and class with dots, `::`, the test with its parameters. */
  readonly test: string;
  readonly kind: 'passed' | 'failed' | 'skipped';
};

const CASE = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs;

/** The outcomes in a report in the JUnit format, as pytest writes it. A test that was expected to fail, and did, is skipped. */
export const outcomesIn = (report: string): readonly Outcome[] =>
  [...report.matchAll(CASE)].map(([, classname = '', name = '', said = '']) => ({
    test: `${classname}::${name}`,
    kind: /<(?:failure|error)\b/.test(said) ? 'failed' : /<skipped\b/.test(said) ? 'skipped' : 'passed',
  }));
