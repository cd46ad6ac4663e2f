// The evidence for docs/invariants.md: which tests hold each invariant, and the mutants that they killed.
//
//   node scripts/invariants.mjs          checks that every invariant has tests, that each of them exists, and that
//                                        docs/invariants-evidence.md is what tests/evidence.json makes
//   node scripts/invariants.mjs --write  writes docs/invariants-evidence.md
//
// Prints a line for each invariant; the exit code is 1 if something does not hold.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const evidenceFile = 'tests/evidence.json';
const page = 'docs/invariants.md';
const table = 'docs/invariants-evidence.md';

/** The invariants that a page has as headings: `## 4. At most once`. */
function invariantsOf(markdown) {
  return [...markdown.matchAll(/^## (\d+)\. (.+)$/gm)].map(([, number, name]) => ({ invariant: Number(number), name }));
}

/** The table of all evidence, as Markdown. */
function tableOf(evidence) {
  const sections = evidence.map(({ invariant, name, tests, mutants }) =>
    [
      `## ${invariant}. ${name}`,
      '',
      '| Test | in |',
      '|---|---|',
      ...Object.entries(tests).flatMap(([file, titles]) =>
        titles.map((title) => `| ${cell(title)} | [${file}](../${file}) |`),
      ),
      '',
      '| Mutant | what turned red |',
      '|---|---|',
      ...mutants.map(({ change, red }) => `| ${cell(change)} | ${cell(red)} |`),
      '',
    ].join('\n'),
  );
  return [
    '# The evidence for the invariants',
    '',
    `Made by \`node scripts/invariants.mjs --write\` from \`${evidenceFile}\`: for each of the [invariants](invariants.md) the tests that`,
    'hold it, and the mutants that those tests have killed.',
    '',
    ...sections,
  ].join('\n');
}

/** Text in a cell of a table; what stands for something else in Markdown or HTML stands for itself. */
const cell = (text) => text.replace(/[\\|<>*_`[\]]/g, (mark) => `\\${mark}`);

/** What is wrong with the evidence of one invariant. */
function problemsOf({ tests }, readFile) {
  const named = Object.entries(tests);
  if (named.length === 0) return ['names no test'];
  return named.flatMap(([file, titles]) => {
    const source = readFile(file);
    if (source === undefined) return [`${file} does not exist`];
    return titles.flatMap((title) => {
      // Sources write a quote within quotes with a backslash.
      const isThere = [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted));
      return isThere ? [] : [`${file} has no test “${title}”`];
    });
  });
}

function main(isWriting) {
  const root = join(fileURLToPath(import.meta.url), '..', '..');
  const readFile = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined);
  const evidence = JSON.parse(readFile(evidenceFile) ?? '[]');
  if (isWriting) writeFileSync(join(root, table), tableOf(evidence));
  let failed = 0;
  const say = (title, problems) => {
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'}  ${title}`);
    for (const problem of problems) console.log(`      ${problem}`);
    if (problems.length > 0) failed += 1;
  };
  for (const row of evidence) {
    const count = Object.values(row.tests).flat().length;
    say(`${row.invariant} ${row.name}: ${count} tests, ${row.mutants.length} mutants`, problemsOf(row, readFile));
  }
  const names = (rows) => JSON.stringify(rows.map(({ invariant, name }) => `${invariant}. ${name}`));
  const stated = names(invariantsOf(readFile(page) ?? ''));
  say(page, stated === names(evidence) ? [] : [`its headings are not the invariants of ${evidenceFile}: ${stated}`]);
  const isCurrent = readFile(table) === tableOf(evidence);
  say(table, isCurrent ? [] : ['it is not what the evidence makes: run node scripts/invariants.mjs --write']);
  return failed === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.includes('--write'));
