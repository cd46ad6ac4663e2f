import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const scriptAt = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const scripts = [scriptAt('time-limit.mjs'), scriptAt('processes.mjs')];

/** What came of a shell that runs `command` with a limit of `minutes`: its exit code, and what was printed. */
function limited(minutes: number, command: string): { code: number; lines: string[] } {
  const program = `const [{ withTimeLimit }, { runToEnd }] = await Promise.all(${JSON.stringify(scripts)}.map((at) => import(at)));
    const lines = [];
    const start = (started) => runToEnd('sh', ['-c', ${JSON.stringify(command)}], { started });
    const code = await withTimeLimit(${minutes}, start, (line) => lines.push(line));
    console.log(JSON.stringify({ code, lines }));`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
  return JSON.parse(stdout);
}

test('what hangs is stopped with all it started, and named', () => {
  const { code, lines } = limited(0.02, 'sleep 4321 & sh -c "sleep 1234; true"; true');
  expect(code).toBe(124);
  expect(lines.join('\n')).toMatch(/^stopped after 0\.02 minutes; still running/);
  expect(lines.join('\n')).toContain('sleep 4321');
  expect(lines.join('\n')).toContain('sleep 1234');
  expect(spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).stdout).not.toMatch(/^sleep (4321|1234)$/m);
});

test('what ends in time has its own exit code', () => {
  expect(limited(5, 'exit 3')).toEqual({ code: 3, lines: [] });
});
