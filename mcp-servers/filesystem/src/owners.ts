import { readFileSync } from 'node:fs';

/** Names of users and groups by their number; the number itself where there is no name. */
export interface Owners {
  user(id: number): string;
  group(id: number): string;
}

/** Reads the names from the system's files each time, so that a new user is known. Where there are none, numbers are given. */
export function systemOwners(users = '/etc/passwd', groups = '/etc/group'): Owners {
  return { user: (id) => nameIn(users, id), group: (id) => nameIn(groups, id) };
}

/** Both files have lines of `name:password:number:…`. */
function nameIn(file: string, id: number): string {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return String(id);
  }
  const fields = lines.map((line) => line.split(':')).find(([, , number]) => number === String(id));
  return fields?.[0] ?? String(id);
}
