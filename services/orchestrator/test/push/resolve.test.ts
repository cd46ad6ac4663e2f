import { expect, test } from 'vitest';
import { lookUpsMax } from '../../src/push/bounds.ts';
import { type NameSources, resolveFrom } from '../../src/push/resolve.ts';

const failing = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};

/** Name servers that know nothing, and a machine that never answers. */
function sources(more: Partial<NameSources> = {}) {
  let threads = 0;
  const all: NameSources = {
    resolve4: failing('ENOTFOUND'),
    resolve6: failing('ENODATA'),
    lookUp: () => {
      threads += 1;
      return new Promise(() => undefined);
    },
    ...more,
  };
  return { resolve: resolveFrom(all), threads: () => threads };
}

test('what name servers know needs no thread of the process, nor does what they are slow to say', async () => {
  const known = sources({ resolve4: async () => ['192.0.2.1'], resolve6: failing('ETIMEOUT') });
  expect(await known.resolve('a.example')).toEqual(['192.0.2.1']);
  const both = sources({ resolve4: async () => ['192.0.2.1'], resolve6: async () => ['2001:db8::1'] });
  expect(await both.resolve('a.example')).toEqual(['192.0.2.1', '2001:db8::1']);
  const slow = sources({ resolve4: failing('ETIMEOUT') });
  await expect(slow.resolve('a.example')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect([known, both, slow].map(({ threads }) => threads())).toEqual([0, 0, 0]);
});

test('this machine is asked for few unknown names at a time, and its answer makes room', async () => {
  const { resolve, threads } = sources();
  void Array.from({ length: lookUpsMax }, (_, at) => resolve(`tarpit-${at}.example`));
  await expect(resolve('one-more.example')).rejects.toMatchObject({ code: 'EBUSY' });
  expect(threads()).toBe(lookUpsMax);
  const quick = sources({ lookUp: async () => ['127.0.0.1'] });
  for (let at = 0; at <= lookUpsMax; at += 1) expect(await quick.resolve('hosts.example')).toEqual(['127.0.0.1']);
});
