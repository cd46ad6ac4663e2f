/**
 * Loaded before each file of unit tests, in processes that run nothing else: what a unit test must not do throws there. Its imports
 * do not tell all of it (tests/topology/kinds.test.ts), since what it tests may start processes and open sockets.
 */
import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';

function refuse(owner: object, names: readonly string[], what: string): void {
  const refused = () => {
    throw new Error(`a unit test ${what}: a test that has to is called NAME.integration.test.ts (tests/README.md)`);
  };
  for (const name of names) Reflect.set(owner, name, refused);
}

refuse(ChildProcess.prototype, ['spawn'], 'starts a process');
refuse(childProcess, ['spawnSync', 'execSync', 'execFileSync'], 'starts a process');
refuse(Server.prototype, ['listen'], 'listens');
refuse(Socket.prototype, ['connect'], 'opens a connection');
// What is imported by name is what is there now.
syncBuiltinESMExports();
