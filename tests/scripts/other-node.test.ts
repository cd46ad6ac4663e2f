import { chmodSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clone, freshClone } from './clone.ts';

let clone: Clone;
beforeEach(() => {
  clone = freshClone();
});
afterEach(() => clone.remove());

const script = `
import { runScript } from './scripts/bootstrap.mjs';
import { otherNode } from './scripts/other-node.mjs';
await runScript(async () => console.log(JSON.stringify(await otherNode('STOPGO_OTHER_NODE'))));
`;

function otherNode(env: Record<string, string>) {
  return clone.node(['--input-type=module', '-e', script], env);
}

/** A program of the clone's that answers as a Node would. */
function answering(name: string, answer: string): string {
  clone.write(name, `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(join(clone.folder, name), 0o755);
  return join(clone.folder, name);
}

test.each(['', undefined])('none is named', async (named) => {
  expect(await otherNode(named === undefined ? {} : { STOPGO_OTHER_NODE: named })).toMatchObject({
    code: 0,
    stdout: 'undefined\n',
  });
});

test.each([
  ['by its path', () => process.execPath],
  ['by a link of another name', () => join(clone.folder, 'node24')],
  ['relative to the repository', () => './node24'],
  ['as it is found on the PATH', () => 'node24'],
])('one that is named %s is what `node` stands for', async (_, named) => {
  symlinkSync(process.execPath, join(clone.folder, 'node24'));
  const PATH = [clone.folder, process.env.PATH].join(delimiter);
  const { code, stdout, stderr } = await otherNode({ STOPGO_OTHER_NODE: named(), PATH });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { program, version, path } = JSON.parse(stdout);
  expect({ program, version }).toEqual({ program: process.execPath, version: process.version });
  expect(path.split(delimiter)[0]).toBe(dirname(process.execPath));
});

test('one that is called something else is refused: `node` would be another', async () => {
  const named = answering('node24', 'v24.0.0 /opt/node/bin/node24');
  expect(await otherNode({ STOPGO_OTHER_NODE: named })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'STOPGO_OTHER_NODE names /opt/node/bin/node24, but the program has to be called node\n',
  });
});

test.each([
  ['that is not there', () => join(clone.folder, 'none')],
  ['that cannot be run', () => join(clone.folder, 'package.json')],
  ['that says nothing', () => answering('silent', '')],
  ['that is no Node', () => answering('other', 'v24.0.0')],
])('a program %s is no Node', async (_, named) => {
  const program = named();
  expect(await otherNode({ STOPGO_OTHER_NODE: program })).toEqual({
    code: 1,
    stdout: '',
    stderr: `STOPGO_OTHER_NODE names no Node that runs: ${program}\n`,
  });
});
