import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, data, dataOf, said, task, text, textsOf } from './a2a.ts';
import { doneIn, serversIn, surveyAt } from './asking-servers.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

/** What tool servers ask people in the midst of calls, as other agents see it and answer it. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, serversIn(place), { env: model.env });
}, 60_000);

afterAll(async () => {
  await platform.discard();
  place.remove();
  await model.stop();
});

test('another agent sees the question as a task that waits for input, and answers it there', async () => {
  const peer = await clientOf(platform.url);
  const waiting = task(await peer.sendMessage(said([text('call new_order {"name":"a2a"}')])));
  const { message } = waiting.status ?? {};
  expect(waiting.status?.state).toBe(6);
  expect(textsOf(message?.parts)).toContain('The server "new" asks, in the midst of new_order');
  const [shown] = dataOf(message?.parts) as { readonly input_id: string; readonly requested_schema: object }[];
  expect(shown?.requested_schema).toMatchObject({ required: ['amount'] });
  const words = task(await peer.sendMessage(said([text('three of them')], { taskId: waiting.id })));
  expect(textsOf(words.status?.message?.parts)).toContain('That answers nothing.');
  const values = data({ input_id: shown?.input_id, action: 'accept', content: { amount: 7 } });
  const done = task(await peer.sendMessage(said([values], { taskId: waiting.id })));
  expect(textsOf(done.artifacts[0]?.parts)).toContain('order a2a: accept {"amount":7}');
  // A stream tells it as it comes, and goes on with the answer.
  const states = async (request: Parameters<typeof peer.sendMessageStream>[0]) => {
    const seen: { readonly state: number | undefined; readonly parts: readonly unknown[]; readonly id: string }[] = [];
    for await (const { payload } of peer.sendMessageStream(request)) {
      if (payload?.$case === 'task') {
        const { status, id } = payload.value;
        seen.push({ state: status?.state, parts: dataOf(status?.message?.parts), id });
      } else if (payload?.$case === 'statusUpdate') {
        const { status, taskId } = payload.value;
        seen.push({ state: status?.state, parts: dataOf(status?.message?.parts), id: taskId });
      }
    }
    return seen;
  };
  const streamed = (await states(said([text('call new_order {"name":"streamed"}')]))).at(-1);
  expect(streamed).toMatchObject({ state: 6, parts: [{ kind: 'input', tool: 'new_order' }] });
  const [part] = (streamed?.parts ?? []) as readonly { readonly input_id: string }[];
  const reply = data({ input_id: part?.input_id, action: 'accept', content: { amount: 8 } });
  expect((await states(said([reply], { taskId: streamed?.id ?? '' }))).at(-1)?.state).toBe(3);
  expect(doneIn(place, 'new', 'streamed')).toMatchObject([{ content: { amount: 8 } }]);
  // One choice is answered in its word.
  const survey = task(await peer.sendMessage(said([text('call new_survey {"name":"it"}')])));
  const good = task(await peer.sendMessage(said([text('good')], { taskId: survey.id })));
  expect(textsOf(good.artifacts[0]?.parts)).toContain('survey it: accept {"opinion":"good"}');
});

test('words that were sent for one question answer no other, and a no declines', async () => {
  const peer = await clientOf(platform.url);
  const [one, two] = ['one', 'two'].map((name) => ({ calls: [surveyAt('new', name)] }));
  await model.script(one ?? {}, two ?? {}, { text: 'done' });
  const { id: taskId } = task(await peer.sendMessage(said([text('ask twice')])));
  const good = said([text('good')], { taskId });
  const second = task(await peer.sendMessage(good));
  expect(textsOf(second.status?.message?.parts)).toContain('What about two?');
  // The same message again, as after an answer that was lost, and one that comes late.
  const again = task(await peer.sendMessage(good));
  expect(textsOf(again.status?.message?.parts)).toContain('What about two?');
  const late = task(await peer.sendMessage(said([text('bad')], { taskId })));
  expect(textsOf(late.status?.message?.parts)).toContain('That answers nothing.');
  expect(doneIn(place, 'new', 'two')).toEqual([]);
  const [shown] = dataOf(second.status?.message?.parts) as { readonly input_id: string }[];
  await peer.sendMessage(said([text(`decline ${shown?.input_id}`)], { taskId }));
  expect(doneIn(place, 'new', 'two')).toMatchObject([{ action: 'decline' }]);
  // All that another agent has for its people is yes and no.
  const asked = task(await peer.sendMessage(said([text('call new_survey {"name":"no"}')])));
  const rejected = said([text('rejected')], { taskId: asked.id });
  for (const time of ['first', 'again']) expect(task(await peer.sendMessage(rejected)).status?.state, time).toBe(3);
  expect(doneIn(place, 'new', 'no')).toMatchObject([{ action: 'decline' }]);
});

test('a task that still waits for an answer is shown so, whatever else has been answered', async () => {
  const peer = await clientOf(platform.url);
  await model.script({ calls: [surveyAt('old', 'here'), surveyAt('new', 'there')] }, { text: 'done' });
  const { id, status } = task(await peer.sendMessage(said([text('ask both')])));
  const asked = dataOf(status?.message?.parts) as { readonly input_id: string; readonly server: string }[];
  expect(asked.map(({ server }) => server).sort()).toEqual(['new', 'old']);
  const good = (inputId = '') => data({ input_id: inputId, action: 'accept', content: { opinion: 'good' } });
  const seen: (number | undefined)[] = [];
  let left = asked;
  for await (const { payload } of peer.resubscribeTask({ tenant: '', id })) {
    const shown = payload?.$case === 'statusUpdate' || payload?.$case === 'task' ? payload.value.status : undefined;
    if (shown === undefined) continue;
    seen.push(shown.state);
    const [next, ...others] = left;
    if (shown.state !== 6 || next === undefined) continue;
    left = others;
    await peer.sendMessage(said([good(next.input_id)], { taskId: id }));
  }
  expect(seen.filter((state) => state === 6).length).toBeGreaterThanOrEqual(2);
  expect(seen.at(-1)).toBe(3);
}, 20_000);
