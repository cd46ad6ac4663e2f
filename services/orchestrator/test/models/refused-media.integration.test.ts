import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type AdapterOptions, createPort } from '../../src/models/adapter.ts';
import type { RetryTime } from '../../src/models/index.ts';
import { mediaOf } from '../../src/models/media.ts';
import type { ModelAnswer, ModelMedia, ModelMessage, ModelRequest } from '../../src/models/port.ts';
import { impatientClock, NEVER, startFixture } from './fixture.ts';

const media = (mediaType: string, digest: string, size: number): ModelMedia => ({
  ...{ digest, mediaType, size, bytes: new Uint8Array(size), leftOut: '' },
});
const picture = (digest: string, size = 3): ModelMedia => media('image/png', digest, size);
const showing = (media: readonly ModelMedia[], text = 'look'): ModelMessage[] => [
  { role: 'user', text },
  {
    ...{ role: 'assistant', text: '', provider: '' },
    calls: [{ callId: 'c', providerCallId: '', name: 'look', argumentsJson: '{}' }],
  },
  {
    role: 'tool',
    results: [{ callId: 'c', providerCallId: '', name: 'look', content: 'seen', isError: false, media }],
  },
];

let nowMs = 0;
const hour = 3_600_000;
const clock = { monotonic: () => nowMs, sleep: () => new Promise<void>(() => undefined), random: () => 0 };
const options = { timeoutMs: 1_000, clock, redact: (text: string) => text } as unknown as AdapterOptions;
const done = { kind: 'done', value: { text: 'seen' } as ModelAnswer } as const;

/** A provider that answers a request that shows such digests with a status; 200 is an answer. */
function provider(
  statusOf: (shown: readonly string[], model: string, text: string) => number | Promise<number>,
  mediaMax = 20,
) {
  let asked: ModelRequest[] = [];
  const shownIn = ({ messages }: ModelRequest) =>
    messages.flatMap(mediaOf).flatMap(({ bytes, digest }) => (bytes === undefined ? [] : [digest]));
  const port = createPort(
    { errorPrefix: () => 'error', takes: (_, mediaType) => mediaType === 'image/png', mediaMax },
    options,
    async (request) => {
      asked.push(request);
      const [first] = request.messages;
      const text = first?.role === 'user' ? first.text : '';
      const status = await statusOf(shownIn(request), request.model, text);
      return status === 200 ? done : { kind: 'failed', message: 'no', status };
    },
  );
  const generate = async (model: string, media: readonly ModelMedia[], text?: string) => {
    asked = [];
    const messages = showing(media, text);
    const { kind } = await port.generate({ model, system: '', messages, tools: [] }, { signal: NEVER });
    return kind;
  };
  return {
    generate,
    /** What each request showed that one turn made. */
    turn: async (...digests: readonly string[]) => {
      await generate(
        'm',
        digests.map((digest) => picture(digest)),
      );
      return asked.map((request) => shownIn(request).join(''));
    },
    /** Why the last request left out what it did. */
    why: () =>
      asked
        .at(-1)
        ?.messages.flatMap(mediaOf)
        .map(({ digest, leftOut }) => `${digest}: ${leftOut}`),
    requests: () => asked.map((request) => shownIn(request).join('')),
  };
}

const refusedIt = 'the provider of this model refused it';
const either = `${refusedIt} or another that was shown with it`;

/** A provider that refuses every request with one of these in it. */
const badAre = (bad: string) => provider((shown) => (shown.some((digest) => bad.includes(digest)) ? 400 : 200));

test('a picture that was beside a bad one is shown again, and only the bad one is left out from then on', async () => {
  const { turn, why } = badAre('b');
  expect(await turn('a', 'b')).toEqual(['ab', '']);
  expect(why()).toEqual(['a', 'b'].map((digest) => `${digest}: ${either}`));
  // One at a time, the latest first: each turn finds out about one.
  expect(await turn('a', 'b')).toEqual(['b', '']);
  expect(why()).toEqual([`a: ${either}; they are shown one at a time`, `b: ${refusedIt}`]);
  expect(await turn('a', 'b')).toEqual(['a']);
  expect(await turn('a', 'b')).toEqual(['a']);
  expect(await turn('a', 'b', 'c')).toEqual(['ac']);
});
test('what a model took before is not blamed, and is shown with the next request', async () => {
  const { turn } = badAre('c');
  expect(await turn('a', 'b')).toEqual(['ab']);
  expect(await turn('a', 'b', 'c')).toEqual(['abc', 'c', '']);
  expect(await turn('a', 'b', 'c', 'd')).toEqual(['abd']);
});

test('new pictures are shown at once while others are in question', async () => {
  const { turn } = badAre('bc');
  await turn('a');
  expect(await turn('a', 'b', 'c')).toEqual(['abc', 'a']);
  expect(await turn('a', 'b', 'c', 'd', 'e')).toEqual(['ade']);
  expect(await turn('a', 'b', 'c', 'd', 'e')).toEqual(['acde', 'c', '']);
});

test('a request that is refused whatever it shows is made three times, and what was taken before stays in favour', async () => {
  let broken = false;
  const { generate, turn, requests } = provider(() => (broken ? 400 : 200));
  await turn('a');
  broken = true;
  expect(await generate('m', [picture('a'), picture('b')])).toBe('failed');
  expect(requests()).toEqual(['ab', 'b', '']);
  broken = false;
  expect(await turn('a', 'b')).toEqual(['ab']);
});

test('what the model is not given is told as that, and is not what a refusal is about', async () => {
  const zip = media('application/zip', 'zip', 12);
  const { generate, turn, requests, why } = badAre('b');
  await generate('m', [zip, picture('a')]);
  expect(requests()).toEqual(['a']);
  expect(why()).toEqual(['zip: this model cannot be given it', 'a: ']);
  // Alone in what was sent, so that it is at fault at once.
  await generate('m', [picture('b'), zip]);
  expect(requests()).toEqual(['b', '']);
  expect(await turn('a', 'b')).toEqual(['a']);
});

test('of a request that is too large something is left out that was sent', async () => {
  const { generate, requests } = provider(({ length }) => (length > 1 ? 413 : 200));
  await generate('m', [media('application/zip', 'zip', 100), picture('a', 2), picture('b', 1)]);
  expect(requests()).toEqual(['ab', 'b']);
});

test('a provider that takes few in a request is given the latest that it takes and has not refused, and the others are not proven', async () => {
  let bad = 'd';
  const { generate, turn, requests, why } = provider(
    (shown) => (shown.some((one) => bad.includes(one)) ? 400 : 200),
    2,
  );
  await generate('m', [picture('a'), picture('b'), picture('c'), media('application/zip', 'zip', 1)]);
  expect(requests()).toEqual(['bc']);
  expect(why()?.[0]).toBe('a: this provider takes 2 in a request');
  expect(await turn('b', 'c', 'd')).toEqual(['cd', 'd', '']);
  expect(await turn('b', 'c', 'd')).toEqual(['bc']);
  // It was in a request before, and was not sent with it.
  bad = 'a';
  expect(await turn('a')).toEqual(['a', '']);
  expect(await turn('a')).toEqual(['']);
});

test('nobody is blamed if all that was shown was taken before', async () => {
  let most = 2;
  const { turn } = provider(({ length }) => (length > most ? 400 : 200));
  await turn('a', 'b');
  most = 1;
  expect(await turn('a', 'b')).toEqual(['ab', 'b']);
  most = 2;
  expect(await turn('a', 'b')).toEqual(['b']);
  nowMs += hour;
  expect(await turn('a', 'b')).toEqual(['ab']);
});

test('as much as was refused, though all of it was taken before, is not sent again for an hour with as many words', async () => {
  let wordsMax = 100;
  const { generate, requests } = provider(({ length }, _, { length: words }) =>
    words + length > wordsMax ? 400 : 200,
  );
  const four = ['a', 'b', 'c', 'd'].map((digest) => picture(digest));
  const shown = async (words: number, media = four) => {
    await generate('m', media, 'x'.repeat(words));
    return requests();
  };
  expect(await shown(10)).toEqual(['abcd']);
  expect(await shown(98)).toEqual(['abcd', 'cd']);
  expect(await shown(98)).toEqual(['cd']);
  expect(await shown(99)).toEqual(['cd', 'd']);
  // Others that say less are not concerned, nor is what was found out of them forgotten.
  expect(await shown(96)).toEqual(['abcd']);
  expect(await shown(98)).toEqual(['cd']);
  expect(await shown(100)).toEqual(['d', '']);
  expect(await shown(100)).toEqual(['']);
  wordsMax = 1_000;
  nowMs += hour - 1;
  expect(await shown(100)).toEqual(['']);
  nowMs += 1;
  expect(await shown(100)).toEqual(['abcd']);
});

test('a model that never took any is shown none once three were refused, each the only one in question', async () => {
  const { turn, generate, requests } = provider((shown, model) => (shown.length === 0 || model === 'sees' ? 200 : 400));
  for (const digest of ['a', 'b', 'c']) expect(await turn(digest)).toEqual([digest, '']);
  expect(await turn('d')).toEqual(['']);
  await generate('sees', [picture('a')]);
  expect(requests()).toEqual(['a']);
});

test('a model that took one is shown others, however many were refused', async () => {
  const { turn } = badAre('bcde');
  await turn('a');
  for (const digest of ['b', 'c', 'd', 'e']) expect(await turn(digest)).toEqual([digest, '']);
  expect(await turn('f')).toEqual(['f']);
});

test('lone pictures are not blamed for a request that is refused without them too', async () => {
  let isTooLong = true;
  const { turn } = provider(() => (isTooLong ? 400 : 200));
  for (const digest of ['a', 'b', 'c', 'd']) expect(await turn(digest)).toEqual([digest, '']);
  isTooLong = false;
  expect(await turn('a')).toEqual(['a']);
});

test('a model that seems to take none is shown one again after an hour: its prompts may have been too long', async () => {
  let isTooLong = true;
  const { turn } = provider(({ length }) => (length > 0 && isTooLong ? 400 : 200));
  for (const digest of ['a', 'b', 'c']) await turn(digest);
  nowMs += hour - 1;
  expect(await turn('d')).toEqual(['']);
  nowMs += 1;
  expect(await turn('d')).toEqual(['d', '']);
  nowMs += hour - 1;
  expect(await turn('e')).toEqual(['']);
  nowMs += 1;
  isTooLong = false;
  expect(await turn('e')).toEqual(['e']);
  expect(await turn('f')).toEqual(['f']);
});

test('a provider that takes one picture in a request is shown the newest of each turn, and none is blamed', async () => {
  const { turn, why } = provider(({ length }) => (length > 1 ? 400 : 200));
  expect(await turn('a')).toEqual(['a']);
  expect(await turn('a', 'b')).toEqual(['ab', 'b']);
  expect(why()?.[0]).toBe('a: the provider of this model refused the request with it');
  expect(await turn('a', 'b', 'c')).toEqual(['c']);
  expect(why()?.[1]).toBe('b: the provider of this model refused a request that showed as much');
  expect(await turn('a', 'b', 'c', 'd')).toEqual(['d']);
});

test('a picture is not blamed for a refusal beside what was taken, if the first refusal was of the size', async () => {
  let statuses: number[] = [];
  const { turn, generate, requests } = provider(() => statuses.shift() ?? 200);
  await turn('a');
  statuses = [413, 400];
  await generate('m', [picture('a', 1), picture('b', 1), picture('c', 9)]);
  expect(requests()).toEqual(['abc', 'ab', '']);
  expect(await turn('a', 'b')).toEqual(['ab']);
});

test('a picture that another branch saw taken is not left out, though this one blamed it', async () => {
  let answer: (status: number) => void = () => undefined;
  const held = new Promise<number>((resolve) => {
    answer = resolve;
  });
  // The first is answered last, and otherwise than the second.
  const statuses = [held, 400, 200];
  const { turn } = provider(({ length }) => (length === 0 ? 200 : (statuses.shift() ?? 200)));
  const first = turn('x');
  await turn('x');
  answer(200);
  await first;
  expect(await turn('x')).toEqual(['x']);
});

test('of a request that is too large the largest are left out, and so much is not sent again for an hour', async () => {
  let most = 3;
  const { generate, requests, why } = provider((shown) => (shown.length > most ? 413 : 200));
  const media = [picture('a', 1), picture('b', 5), picture('c', 4), picture('d', 1)];
  expect(await generate('m', media)).toBe('answer');
  // Without the largest there are 6 of 11 bytes left, which is more than half.
  expect(requests()).toEqual(['abcd', 'ad']);
  expect(why()?.[1]).toBe('b: the provider of this model refused the request as too large with it');
  // Half of 11 bytes, the latest first.
  await generate('m', media);
  expect(requests()).toEqual(['cd']);
  most = 1;
  await generate('m', media);
  expect(requests()).toEqual(['cd', 'd']);
  await generate('m', media);
  expect(requests()).toEqual(['ad', 'd']);
  most = 4;
  nowMs += hour;
  await generate('m', media);
  expect(requests()).toEqual(['abcd']);
});

test('a lone picture that made a request too large is shown with fewer words, and a smaller one is with as many', async () => {
  const { generate, requests } = provider((shown, _, text) => (shown.includes('a') && text !== 'less' ? 413 : 200));
  await generate('m', [picture('a', 8)], 'enough');
  expect(requests()).toEqual(['a', '']);
  await generate('m', [picture('a', 8)], 'enough');
  expect(requests()).toEqual(['']);
  await generate('m', [picture('b', 7)], 'enough');
  expect(requests()).toEqual(['b']);
  await generate('m', [picture('a', 8)], 'less');
  expect(requests()).toEqual(['a']);
});

test('of the amounts that were refused the latest ten are remembered', async () => {
  const { generate, requests } = provider(({ length }) => (length > 0 ? 413 : 200));
  const shown = async (one: number) => {
    await generate('m', [picture(`${one}`, 100 - one)], 'x'.repeat(one + 1));
    return requests();
  };
  for (let one = 0; one <= 10; one++) expect(await shown(one)).toEqual([`${one}`, '']);
  expect(await shown(1)).toEqual(['']);
  expect(await shown(0)).toEqual(['0', '']);
});

/** What a real SDK sends to the offline model, which refuses pictures that are none. */
async function overHttp(steps: readonly object[], turns: readonly (readonly ModelMedia[])[]) {
  const fixture = await startFixture();
  try {
    await fixture.script(...steps);
    const model = 'claude-sonnet-5-5';
    // Nothing here is tried again after a pause: only the limits of time sleep.
    const sleep: RetryTime['sleep'] = (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined);
    const port = fixture.models({ clock: { ...impatientClock().clock, sleep } }).forModel(model);
    for (const media of turns)
      expect(
        await port.generate({ model, system: '', messages: showing(media), tools: [] }, { signal: NEVER }),
      ).toEqual(expect.objectContaining({ kind: 'answer' }));
    return (await fixture.requests()).map(({ body }) => JSON.stringify(body));
  } finally {
    await fixture.stop();
  }
}
const sound = { ...picture('sound', 4), bytes: new Uint8Array(Buffer.from('89504e47', 'hex')) };
const broken = picture('broken');
const images = (body: string) => body.split('"base64"').length - 1;

test('over HTTP: a picture that was too large beside the rest is not sent again, and a smaller one is', async () => {
  const tooLarge = { error: { status: 413, message: 'request_too_large' } };
  const larger = { ...sound, digest: 'larger', size: 5, bytes: new Uint8Array(Buffer.from('89504e470d', 'hex')) };
  const sent = await overHttp([tooLarge, { text: 'without' }, { text: 'with' }], [[larger], [larger, sound]]);
  expect(sent.map(images)).toEqual([1, 0, 1]);
  expect(sent[1]).toContain(
    '[image/png of 5 bytes is not shown: the provider of this model refused the request as too large with it]',
  );
});

test('over HTTP: a sound picture beside a broken one is sent with the next request, and the broken one never again', async () => {
  const both = [broken, sound];
  const sent = await overHttp([], [both, both, both, both]);
  expect(sent.map(images)).toEqual([2, 0, 1, 2, 1, 0, 1]);
});

test('what was refused long ago is forgotten: so much is remembered and no more', async () => {
  const { turn } = provider((shown) => (shown.some((digest) => digest !== 'a') ? 400 : 200));
  await turn('a');
  for (let one = 0; one <= 1_000; one++) await turn(`b${one}`);
  expect(await turn('b1')).toEqual(['']);
  expect(await turn('b0')).toEqual(['b0', '']);
});
