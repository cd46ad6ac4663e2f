// Checks docs/invariants.md: every invariant has its row, and every row names tests that exist.
//
//   node scripts/check-invariants.mjs
//
// Prints a line per row; exit code 1 if one of them does not hold.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The invariants are numbered from 1. */
const invariants = 13;
const document = 'docs/invariants.md';

/** The rows of the table: number, name, tests (file and title) and mutants. */
export function rowsOf(markdown) {
  return markdown
    .split('\n')
    .map((line) => line.match(/^\|\s*(\d+)\s*\|([^|]*)\|([^|]*)\|([^|]*)\|$/))
    .filter((match) => match !== null)
    .map(([, number, name, tests, mutants]) => ({
      number: Number(number),
      name: (name.match(/\*\*(.+?)\*\*/)?.[1] ?? name).trim().replace(/\.$/, ''),
      tests: [...tests.matchAll(/`([^`]+)`: “([^”]+)”/g)].map(([, file, title]) => ({ file, title })),
      mutants: mutants.split('<br>').filter((mutant) => mutant.trim() !== '').length,
    }));
}

/** What is wrong with the table, by the number of its row; nothing for a row that holds. */
export function problemsOf(rows, readFile) {
  const problems = new Map();
  for (let number = 1; number <= invariants; number += 1) {
    const found = rows.filter((row) => row.number === number);
    if (found.length === 1) problems.set(number, rowProblems(found[0], readFile));
    else problems.set(number, [found.length === 0 ? 'has no row' : `has ${found.length} rows`]);
  }
  for (const { number } of rows) if (!problems.has(number)) problems.set(number, ['is no invariant']);
  return problems;
}

function rowProblems({ tests }, readFile) {
  if (tests.length === 0) return ['names no test'];
  return tests.flatMap(({ file, title }) => {
    const source = readFile(file);
    if (source === undefined) return [`${file} does not exist`];
    // Sources write a quote within quotes with a backslash.
    const isThere = [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted));
    return isThere ? [] : [`${file} has no test “${title}”`];
  });
}

function main() {
  const root = join(fileURLToPath(import.meta.url), '..', '..');
  const readFile = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined);
  const rows = rowsOf(readFile(document) ?? '');
  let failed = 0;
  for (const [number, problems] of [...problemsOf(rows, readFile)].sort(([a], [b]) => a - b)) {
    const row = rows.find((one) => one.number === number);
    const counts = row === undefined ? '' : `: ${row.tests.length} tests, ${row.mutants} mutants`;
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'}  ${number} ${row?.name ?? ''}${counts}`);
    for (const problem of problems) console.log(`      ${document}: ${number} ${problem}`);
    if (problems.length > 0) failed += 1;
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = main();
