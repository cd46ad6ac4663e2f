import { expect, test } from 'vitest';
import { installProblem } from '../src/lines/npm-failure.ts';
import { startBridge, stdioServer } from './support/bridge.ts';

/** As npm 10 writes it of a package that is not there. */
const notThere = `npm error code E${404}
npm error 404 Not Found - GET https://registry.example/@example%2fserver-flies
npm error 404
npm error 404  The requested resource '@example/server-flies@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /home/ann/.npm/_logs/x-debug-0.log
`;

test.each([
  [
    'a package that is not there',
    notThere,
    'the npm registry has no package "@example/server-flies"; is it spelled right?',
  ],
  [
    'the same of another npm',
    `npm ERR! code E${404}\nnpm ERR! 404 Not Found - GET https://r.example/flies - Not found\nnpm ERR! 404  'flies@1.0.0' is not in this registry.\n`,
    'the npm registry has no package "flies"; is it spelled right?',
  ],
  [
    'only its address',
    `npm error code E${404}\nnpm error 404 Not Found - GET https://r.example/npm/@example%2fflies\n`,
    'the npm registry has no package "@example/flies"; is it spelled right?',
  ],
  [
    'no name that npm would take',
    `npm error code E${404}\nnpm error 404  'a b\u202E@*' is not in this registry.\n`,
    'the npm registry has no package of that name; is it spelled right?',
  ],
  [
    'a version that is not there',
    'npm error code ETARGET\nnpm error notarget No matching version found for @example/flies@9999.1.1.\n',
    'the npm package "@example/flies" has no version 9999.1.1; `npm view @example/flies versions` lists those that it has',
  ],
  [
    'no program',
    'npm error could not determine executable to run\n',
    'the npm package has no program of its own name, or several; is it a server? If so, name the program: args: [-y, --package, PACKAGE, PROGRAM]',
  ],
  [
    'no network',
    'npm error code ENOTFOUND\nnpm error syscall getaddrinfo\n',
    'npm cannot reach its registry (ENOTFOUND); is this machine online?',
  ],
  [
    'no right',
    `npm error code E${403}\nnpm error 403 403 Forbidden\n`,
    `the npm registry refuses the package (E${403}); a private one needs the credentials of its registry in .npmrc`,
  ],
])('npm is understood: %s', (_, output, text) => {
  expect(installProblem(output)).toEqual({ text, isWhole: true });
});

test.each(['Error: 404 Not Found\n', 'npm warn deprecated a@1.0.0: use b\n', `GET /x 404\ncode E${404}\n`, ''])(
  'what is not of npm is left as it is: %j',
  (output) => {
    expect(installProblem(output)).toBeUndefined();
  },
);

test('the reason why a server did not start names the package, in place of all that npm says', async () => {
  const script = `console.error(${JSON.stringify(notThere)}); process.exit(1)`;
  const started = startBridge([stdioServer('flies', process.execPath, ['-e', script])]);
  await expect(started).rejects.toThrow(
    /^failed to start MCP clients: failed to start MCP server "flies": its process exited with code 1 before it answered: the npm registry has no package "@example\/server-flies"; is it spelled right\?$/,
  );
});
