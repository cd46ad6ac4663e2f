import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './folder.ts';

/** A repository with a work tree, made on the spot. */
export class TestRepository {
  readonly folder = temporaryFolder();
  #seconds = 1_700_000_000;

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main');
  }

  /** Runs git as its author does. */
  git(...args: readonly string[]): string {
    this.#seconds += 60;
    const time = `${this.#seconds} +0000`;
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1_048_576,
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_DATE: time,
        GIT_COMMITTER_DATE: time,
      },
    }).trim();
  }

  write(path: string, content: string | Uint8Array): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  link(path: string, target: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
  }

  /** Commits everything that is there, and says as which commit. */
  commit(message: string): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }
}
