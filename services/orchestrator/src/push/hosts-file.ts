import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { hostsCharactersMax } from './bounds.ts';

/** Where this kind of machine writes names down. */
const systemFile = (): string =>
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/**
 * The addresses that a file in the format of hosts(5) has for a name, read anew for each. `localhost` and the names below it are
 * this machine whatever is written (RFC 6761, 6.3). A file that cannot be read, or is too large, holds none.
 */
export function hostsFile(path = systemFile()): (hostname: string) => Promise<readonly string[]> {
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.length > hostsCharactersMax) return [];
    return text.split('\n').flatMap((line) => {
      const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
      return isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : [];
    });
  };
}
