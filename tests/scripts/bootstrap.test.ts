import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Clone, freshClone } from './clone.ts';

let clone: Clone;
beforeEach(() => {
  clone = freshClone();
});
afterEach(() => clone.remove());

const bootstrap = (env?: Record<string, string>) =>
  clone.node(['-e', "import('./scripts/bootstrap.mjs').then(({ bootstrap, runScript }) => runScript(bootstrap))"], env);

describe('the bootstrap', () => {
  test('installs and builds once, says so, and is silent when nothing changed', async () => {
    const first = await bootstrap();
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toMatch(/installing dependencies.*building/s);
    expect(clone.calls()).toEqual(['npm ci', 'tsc']);

    expect(await bootstrap()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(clone.calls()).toEqual(['npm ci', 'tsc']);
  });

  test('builds again after a source changed, and installs again after the lock file did', async () => {
    await bootstrap();
    clone.write('part/src/index.ts', 'export const changed = true;');
    await bootstrap();
    expect(clone.calls()).toEqual(['npm ci', 'tsc', 'tsc']);

    clone.write('package-lock.json', '{ "packages": { "node_modules/a": { "version": "1.0.0" } } }');
    await bootstrap();
    expect(clone.calls().slice(3)).toEqual(['npm ci', 'tsc']);
  });

  test('takes what a plain npm install left behind, unless it differs from the lock file', async () => {
    clone.write(
      'package-lock.json',
      '{ "packages": { "node_modules/a": { "version": "1.0.0" }, "node_modules/b": { "version": "1.0.0", "optional": true } } }',
    );
    clone.write('node_modules/a/package.json', '{}');
    clone.write('node_modules/typescript/bin/tsc', "require('node:fs').writeFileSync('calls', 'tsc\\n')");
    clone.write('node_modules/.package-lock.json', '{ "packages": { "node_modules/a": { "version": "1.0.0" } } }');
    clone.write('part/dist/.tsbuildinfo', '');
    await bootstrap();
    expect(clone.calls()).toEqual(['tsc']);

    clone.write('package-lock.json', '{ "packages": { "node_modules/a": { "version": "1.0.1" } } }');
    await bootstrap();
    expect(clone.calls()).toContain('npm ci');
  });

  test('runs once when several start at the same time, also over the lock of a process that died', async () => {
    const dead = await clone.node(['-p', 'process.pid']);
    clone.write('.cache/bootstrap.lock/owner', dead.stdout.trim());
    const all = await Promise.all(Array.from({ length: 5 }, () => bootstrap()));
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(Array.from({ length: 5 }, () => [0, '']));
    expect(clone.calls()).toEqual(['npm ci', 'tsc']);
  });

  test('does not hand down settings that would make npm install something else', async () => {
    await bootstrap({ npm_config_omit: 'dev', npm_config_dry_run: 'true', NODE_ENV: 'production' });
    expect(clone.calls()).toEqual(['npm ci', 'tsc']);
  });

  test.each([
    [
      'no-network',
      /npm error network\nstop-and-go: installing dependencies \(npm ci\) failed \(exit code 3\); see the lines above\.\n$/,
    ],
    ['type-error', /error TS1: no\nstop-and-go: building \(tsc -b\) failed \(exit code 2\); see the lines above\.\n$/],
  ])('tells a failure (%s) in one line and tries again the next time', async (failure, words) => {
    clone.write(failure, '');
    const failed = await bootstrap();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(words);
    const calls = clone.calls().length;
    await bootstrap();
    expect(clone.calls().length).toBeGreaterThan(calls);
  });

  test.each([
    ['20.18.3', 'Node 20.19 or newer is needed; this is 20.18.3.'],
    ['18.20.0', 'Node 20.19 or newer is needed; this is 18.20.0.'],
    ['20.19.0', ''],
    ['24.0.0', ''],
  ])('Node %s: %s', async (version, words) => {
    const script = `import('./scripts/bootstrap.mjs').then((b) => b.runScript(() => b.requireNode('${version}')))`;
    expect((await clone.node(['-e', script])).stderr.trim()).toBe(words);
  });
});

describe('start', () => {
  test('becomes the command, with its arguments, standard streams and exit code', async () => {
    clone.write(
      'cli/dist/program/main.js',
      'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;',
    );
    const started = await clone.node(['scripts/start.mjs', '--config', 'my.yaml']);
    expect(started).toMatchObject({ code: 7, stdout: '["start","--config","my.yaml","--web"]\n' });
  });

  test.each([
    [[], ['start', '--demo', '--web']],
    [['--no-web'], ['start', '--demo']],
    [
      ['--config=my.yaml', '--no-web', '--port', '0'],
      ['start', '--config=my.yaml', '--port', '0'],
    ],
  ])('is a demo without a file, and has the web app: %j', async (given, taken) => {
    clone.write('cli/dist/program/main.js', 'console.log(JSON.stringify(process.argv.slice(2)));');
    const started = await clone.node(['scripts/start.mjs', ...given]);
    expect(JSON.parse(started.stdout)).toEqual(taken);
  });
});
