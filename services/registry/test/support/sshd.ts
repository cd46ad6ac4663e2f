import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';

const program = '/usr/sbin/sshd';

/** Whether this machine has the server of OpenSSH: `apt-get install openssh-server`. */
export const hasSshd = existsSync(program);

/** A server of OpenSSH on loopback, for the user that the tests run as. */
export type Sshd = {
  readonly port: number;
  /** The address of a folder there. */
  readonly urlOf: (folder: string) => string;
  /** Takes another identity, as a server does that answers in the place of this one. */
  readonly changeIdentity: () => void;
};

/** Makes a pair of keys. Gives the path of the private one. */
export function keyPair(folder: string, name: string): string {
  const path = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path]);
  return path;
}

/** Lets in whoever has this private key. It ends with the test. */
export async function sshd(keyPath: string): Promise<Sshd> {
  const folder = temporaryFolder();
  let identity = keyPair(folder, 'host-1');
  const keys = join(folder, 'authorized_keys');
  writeFileSync(keys, readFileSync(`${keyPath}.pub`), { mode: 0o600 });
  // Debian's needs it for a moment in which nobody is signed in yet.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const config = join(folder, 'config');
  const write = () =>
    writeFileSync(
      config,
      [
        `HostKey ${identity}`,
        `AuthorizedKeysFile ${keys}`,
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'PermitRootLogin prohibit-password',
        'PidFile none',
      ].join('\n'),
    );
  write();
  chmodSync(folder, 0o700);
  // A process for each connection: nobody has to choose a port that is free.
  const server = createServer((socket) => {
    const child = spawn(program, ['-i', '-e', '-f', config], { stdio: ['pipe', 'pipe', 'ignore'] });
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    for (const stream of [socket, child.stdin, child.stdout]) stream.on('error', () => undefined);
    socket.on('close', () => child.kill());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf: (path) => `ssh://${userInfo().username}@127.0.0.1:${port}${path}`,
    changeIdentity: () => {
      identity = keyPair(folder, 'host-2');
      write();
    },
  };
}
