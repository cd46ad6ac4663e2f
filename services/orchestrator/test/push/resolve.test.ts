import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { hostsFile, type NameSources, resolveFrom } from '../../src/push/resolve.ts';

const folder = mkdtempSync(join(tmpdir(), 'stopgo-hosts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const patient = new AbortController().signal;

const failing = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};

/** Name servers that know nothing, and a machine whose answers are given by hand. */
function sources(more: Partial<NameSources> = {}) {
  const asked: string[] = [];
  const answers: ((addresses: string[]) => void)[] = [];
  const all: NameSources = {
    written: async () => [],
    resolve4: failing('ENOTFOUND'),
    resolve6: failing('ENODATA'),
    lookUp: (hostname) => {
      asked.push(hostname);
      return new Promise((resolve) => answers.push(resolve));
    },
    ...more,
  };
  return { resolve: resolveFrom(all), asked, answers };
}

test('what name servers know needs no thread of the process, nor does what they are slow to say or cannot find out', async () => {
  const known = sources({ resolve4: async () => ['192.0.2.1'], resolve6: failing('ETIMEOUT') });
  expect(await known.resolve('a.example', patient)).toEqual(['192.0.2.1']);
  const both = sources({ resolve4: async () => ['192.0.2.1'], resolve6: async () => ['2001:db8::1'] });
  expect(await both.resolve('a.example', patient)).toEqual(['192.0.2.1', '2001:db8::1']);
  for (const code of ['ETIMEOUT', 'ESERVFAIL']) {
    const silent = sources({ resolve4: failing(code) });
    await expect(silent.resolve('a.example', patient)).rejects.toMatchObject({ code });
    expect(silent.asked).toEqual([]);
  }
  expect([...known.asked, ...both.asked]).toEqual([]);
});

test('this machine is asked for one unknown name at a time; who waits no more is not asked for', async () => {
  const { resolve, asked, answers } = sources();
  const left = new AbortController();
  const first = resolve('slow.example', patient);
  const leaving = resolve('left.example', left.signal);
  const last = resolve('last.example', patient);
  await setImmediate();
  expect(asked).toEqual(['slow.example']);
  left.abort(new Error('left'));
  answers[0]?.(['192.0.2.1']);
  await expect(leaving).rejects.toThrow('left');
  await setImmediate();
  expect(asked).toEqual(['slow.example', 'last.example']);
  answers[1]?.(['192.0.2.2']);
  expect(await Promise.all([first, last])).toEqual([['192.0.2.1'], ['192.0.2.2']]);
});

test('names that are written down here need no name server', async () => {
  const path = join(folder, 'hosts');
  writeFileSync(
    path,
    '127.0.0.1 localhost\n10.1.2.3\tbuild.internal Build # not.this\nfd00::3 build\nnone bad.internal\n',
  );
  const { resolve } = sources({ written: hostsFile(path), resolve4: failing('ETIMEOUT') });
  expect(await resolve('build', patient)).toEqual(['10.1.2.3', 'fd00::3']);
  expect(await resolve('BUILD.internal.', patient)).toEqual(['10.1.2.3']);
  expect(await resolve('localhost', patient)).toEqual(['127.0.0.1', '::1']);
  for (const name of ['not.this', 'bad.internal', 'uild'])
    await expect(resolve(name, patient)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  const none = sources({ written: hostsFile(join(folder, 'none')), resolve4: async () => ['192.0.2.1'] });
  expect(await none.resolve('build', patient)).toEqual(['192.0.2.1']);
});
