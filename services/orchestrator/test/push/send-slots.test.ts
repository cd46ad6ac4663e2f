import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SendSlots } from '../../src/push/send-slots.ts';

/** Sends that go on until they are told to end. */
function sends(slots: SendSlots) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const send = (url: string, signal = new AbortController().signal) =>
    slots.within(url, signal, () => {
      begun.push(new URL(url).hostname);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return { begun, ends, send };
}

test('one host has few slots, all together some, and those who wait take turns by their hosts', async () => {
  const { begun, ends, send } = sends(new SendSlots(4, 2));
  const all = [1, 2, 3, 4, 5].map((at) => send(`https://silent.example:${at}/`));
  all.push(
    send('https://b.example/'),
    send('https://c.example/'),
    send('https://d.example/1'),
    send('https://d.example/2'),
  );
  await setImmediate();
  expect(begun).toEqual(['silent.example', 'silent.example', 'b.example', 'c.example']);
  ends[2]?.();
  ends[3]?.();
  await setImmediate();
  expect(begun.slice(4)).toEqual(['d.example', 'd.example']);
  ends[0]?.();
  await setImmediate();
  expect(begun.slice(6)).toEqual(['silent.example']);
  for (let at = 0; at < all.length; at += 1) {
    ends[at]?.();
    await setImmediate();
  }
  await Promise.all(all);
  expect(begun.length).toBe(all.length);
});

test('of 257 addresses that do not answer the last is sent to as soon as one gives up; of one host they keep nobody waiting', async () => {
  const { begun, ends, send } = sends(new SendSlots());
  const all = Array.from({ length: 257 }, (_, at) => send(`https://silent-${at}.example/`));
  await setImmediate();
  expect(begun.length).toBe(256);
  ends[0]?.();
  await setImmediate();
  expect(begun.at(-1)).toBe('silent-256.example');
  for (const end of ends) end();
  await Promise.all(all);

  const ofOne = sends(new SendSlots());
  for (let at = 0; at < 257; at += 1) void ofOne.send(`https://silent.example/${at}`);
  void ofOne.send('https://other.example/');
  await setImmediate();
  expect([ofOne.begun.length, ofOne.begun.at(-1)]).toEqual([17, 'other.example']);
});

test('a send that fails gives its slot back, and who waits no more gets none', async () => {
  const slots = new SendSlots(1, 1);
  const { begun, ends, send } = sends(slots);
  const failing = slots.within('https://a.example/', new AbortController().signal, async () => {
    throw new Error('broken');
  });
  const left = new AbortController();
  const leaving = send('https://b.example/', left.signal);
  const staying = send('https://c.example/');
  left.abort(new Error('left'));
  await expect(failing).rejects.toThrow('broken');
  await expect(leaving).rejects.toThrow('left');
  await setImmediate();
  expect(begun).toEqual(['c.example']);
  ends[0]?.();
  await staying;
});
