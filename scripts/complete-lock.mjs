// `npm run complete-lock`: adds to package-lock.json the packages for other platforms that it names and does not hold.
// npm leaves out what the registry in use does not offer, and `npm ci` then refuses the whole lock file. Run it after
// every `npm install` that changed the lock file; it changes nothing when the lock file is complete.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './processes.mjs';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
/** What package names call a processor, and what npm calls it. */
const PROCESSORS = { aarch64: 'arm64', armv7: 'arm', x86_64: 'x64' };

const path = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const added = [];
for (const [location, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isHeld(name, location)) continue;
    if (!/^\d/.test(version)) throw new Error(`${name}@${version}: only an exact version can be added`);
    const { os, cpu, libc } = platformOf(name);
    lock.packages[`node_modules/${name}`] = { version, cpu, ...(dev ? { dev } : {}), ...libc, optional: true, os };
    added.push(`${name}@${version}`);
  }
}
if (added.length > 0) {
  const packages = Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
}
console.log(added.length === 0 ? 'package-lock.json is complete' : `added:\n${added.join('\n')}`);

/** True when the package is in the lock file where Node would look for it from `location`. */
function isHeld(name, location) {
  for (let folder = location; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

function platformOf(name) {
  const words = name.split('/').pop().split('-');
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words[words.indexOf(os) + 1];
  if (os === undefined || cpu === undefined) throw new Error(`${name}: its name does not tell the platform`);
  const libc = words.some((word) => word.startsWith('musl')) ? { libc: ['musl'] } : {};
  return { os: [os], cpu: [PROCESSORS[cpu] ?? cpu], libc };
}
