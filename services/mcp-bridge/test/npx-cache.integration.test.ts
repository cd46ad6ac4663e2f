import { expect, test } from 'vitest';
import { npxCacheProblem } from '../src/lines/npm-failure.ts';
import { startBridge, stdioServer } from './support/bridge.ts';

const folder = '/home/ann/.npm/_npx/15b07286cbcc3329';
const remove = `remove it and start again: rm -rf ${folder}`;

test.each([
  [
    'a module of a package that was not unpacked whole',
    `Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from ${folder}/node_modules/a/dist/index.js\n    at packageResolve\n`,
  ],
  ['a file of its own', `Error: Cannot find module '${folder}/node_modules/a/dist/index.js'\n    at x\n`],
  [
    'a CommonJS module',
    `Error: Cannot find module 'zod'\nRequire stack:\n- ${folder}/node_modules/a/index.js\n    at x\n`,
  ],
  [
    'a folder in the way',
    `npm error code ENOTEMPTY\nnpm error ENOTEMPTY: directory not empty, rename '${folder}/node_modules/a' -> 'b'\n`,
  ],
  ['a file that is gone', `npm error ENOENT: no such file or directory, open '${folder}/package.json'\n`],
])('a broken cache of npx is recognised by %s', (_, output) => {
  expect(npxCacheProblem(output)).toContain(remove);
});

test('a broken file of npm is recognised', () => {
  expect(npxCacheProblem('npm error code EINTEGRITY\nnpm error sha512-x integrity checksum failed\n')).toContain(
    'npm cache clean --force',
  );
});

test.each([
  [
    'a file that the server itself wants',
    `Error: ENOENT: no such file, open '/data/x'\n    at ${folder}/node_modules/a/i.js\n`,
  ],
  [
    'a module that it is told to load',
    `Error: Cannot find module '/srv/plugin.js'\nRequire stack:\n- ${folder}/node_modules/a/i.js\n`,
  ],
  [
    'a path that leads elsewhere',
    "Error: Cannot find package 'a' imported from /home/ann/../../_npx/15b07286cbcc3329/x\n",
  ],
  ['a path that a shell reads otherwise', "Error: Cannot find package 'a' imported from /home/$(x)/_npx/15b07286/x\n"],
  ['another install', "Error: Cannot find package 'a' imported from /srv/node_modules/b/index.js\n"],
])('%s says nothing of it, or is not pasted', (_, output) => {
  expect(npxCacheProblem(output)).not.toEqual(expect.stringContaining('rm -rf /home/ann/..'));
  expect(npxCacheProblem(output) ?? '').not.toMatch(/rm -rf [^ ]*(?:\.\.|\$|srv|data)|\/home\/ann\/\.npm/);
});

test('the reason why a server did not start says what to do about the cache, beside its last output', async () => {
  const script = `console.error("Error: Cannot find package 'zod' imported from ${folder}/a.js"); process.exit(1)`;
  await expect(startBridge([stdioServer('memory', process.execPath, ['-e', script])])).rejects.toThrow(
    `failed to start MCP server "memory": its process exited with code 1 before it answered: npx's cache of this package is broken, as after an install that was cut off; ${remove}; its last output: Error: `,
  );
});
