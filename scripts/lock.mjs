// A lock between processes: a folder that appears with its owner's name in it, by one rename.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 100;
/** An owner may hold the lock this long; a process id older than that has been given to somebody else. */
const HELD_MS_MAX = 15 * 60_000;
/** Taking away a dead owner's lock takes microseconds; a right to do so that is older than this was left behind. */
const BREAKING_MS_MAX = 10_000;

/** What a rename onto a folder that exists says, on one system or another. */
const TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']);

/** Runs `action` while no other process holds the lock at `path`; `onWait(pid)` is called once when it has to wait. */
export async function withLock(path, onWait, action, pollMs = POLL_MS) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!take(path)) {
    if (breakStale(path)) continue;
    if (!told) onWait(ownerOf(path));
    told = true;
    await pause(pollMs);
  }
  const release = () => remove(path);
  process.once('exit', release);
  try {
    return await action();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take(path) {
  const prepared = mkdtempSync(`${path}.`);
  writeFileSync(join(prepared, 'owner'), String(process.pid));
  try {
    renameSync(prepared, path); // fails when the folder exists, since it is never empty
    return true;
  } catch (error) {
    rmSync(prepared, { recursive: true, force: true });
    if (!TAKEN.has(error.code)) throw error;
    return false;
  }
}

/** Makes the lock disappear in one step: a folder emptied first could be taken by somebody else in between. */
function remove(path) {
  const gone = mkdtempSync(`${path}.`);
  try {
    renameSync(path, join(gone, 'lock'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  } finally {
    rmSync(gone, { recursive: true, force: true });
  }
}

/** Removes the lock of a dead owner. Only one process at a time may, and it looks again before it does. */
function breakStale(path) {
  if (!isStale(path)) return false;
  const breaking = `${path}-breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    if (ageMs(breaking) > BREAKING_MS_MAX) rmSync(breaking, { recursive: true, force: true });
    return false;
  }
  try {
    if (!isStale(path)) return false;
    remove(path);
    return true;
  } finally {
    rmSync(breaking, { recursive: true, force: true });
  }
}

function isStale(path) {
  const owner = ownerOf(path);
  if (owner === undefined) return false; // released in this moment
  if (ageMs(path) > HELD_MS_MAX) return true;
  try {
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(join(path, 'owner'), 'utf8'));
  } catch {
    return undefined;
  }
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
