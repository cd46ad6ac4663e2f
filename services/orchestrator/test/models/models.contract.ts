import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../src/models/index.ts';
import {
  ANTHROPIC_KEY,
  answerOf,
  ask,
  GEMINI_KEY,
  impatientClock,
  NEVER,
  RESOURCES_ADD,
  recorded,
  resultsFor,
  startFixture,
  tool,
} from './fixture.ts';

/** What differs between the providers, for a suite that is one. */
export type ModelUnderTest = {
  readonly provider: string;
  readonly model: string;
  /** The model's name as the provider knows it, if that is another. */
  readonly modelAnswered?: string;
  /** False for a provider of whose usage the offline model does not know. */
  readonly usageSent?: boolean;
  readonly errorPrefix: string;
  /** Whether an error status stands in brackets after it. */
  readonly statusShown?: boolean;
  readonly urlVariable: string;
  /** The tools of a recorded request body as names and schemas. */
  readonly toolsOf: (body: Record<string, unknown>) => { name: string; schema: unknown }[];
  /** What a recorded request body says of the tokens that the answer may have; undefined if it says nothing of its own. */
  readonly tokensMaxOf: (body: Record<string, unknown>) => unknown;
  readonly keyHeader: string;
  readonly key: string;
};

/** What every adapter promises, checked over HTTP through its SDK. */
export function modelContract(under: ModelUnderTest): void {
  const { provider, model, errorPrefix } = under;
  const withStatus = (status: number) => errorPrefix + (under.statusShown ? ` (${status})` : '');
  let fixture: Awaited<ReturnType<typeof startFixture>>;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterEach(() => fixture.reset());
  afterAll(() => fixture.stop());

  describe(`model: ${provider}`, () => {
    test('a text arrives in pieces that make up the answer', async () => {
      const deltas: string[] = [];
      await fixture.script({ text: 'One, two, three – und vier.' });
      const outcome = await fixture
        .models()
        .forModel(model)
        .generate(ask(model, 'count'), { signal: NEVER, onDelta: (text) => deltas.push(text) });
      const answer = answerOf(outcome);
      expect(answer).toMatchObject({
        text: 'One, two, three – und vier.',
        calls: [],
        provider,
        model: under.modelAnswered ?? model,
      });
      if (under.usageSent !== false) {
        expect(answer.usage.inputTokens).toBeGreaterThan(10);
        expect(answer.usage.outputTokens).toBe(7);
      }
      expect(deltas.length).toBeGreaterThan(1);
      expect(deltas.join('')).toBe(answer.text);
      const [request] = await fixture.requests();
      expect(request?.headers[under.keyHeader]).toBe(under.key);
      expect(JSON.stringify(request?.body)).toContain('You are a test.');
    });

    test('several calls of one answer and their results go back as real pairs, over two steps of one turn', async () => {
      const port = fixture.models().forModel(model);
      const question = 'add a value 1, b value 2 and c value 3';
      const first = recorded(answerOf(await port.generate(ask(model, question), { signal: NEVER })));
      expect(first.calls.map((call) => [call.name, JSON.parse(call.argumentsJson)])).toEqual([
        ['resources_add', { name: 'a', value: 1 }],
        ['resources_add', { name: 'b', value: 2 }],
        ['resources_add', { name: 'c', value: 3 }],
      ]);
      // The results were recorded one by one and in another order; the provider gets them in the order of the calls.
      const results = resultsFor(first, (index) => `done ${index}`);
      const split = (results.role === 'tool' ? results.results : [])
        .toReversed()
        .map(
          (result): ModelMessage => ({ role: 'tool', results: [{ ...result, isError: result.content === 'done 1' }] }),
        );
      await fixture.script({ calls: [{ name: 'resources_list' }], text: 'Let me look.' });
      const second = recorded(
        answerOf(await port.generate(ask(model, question, first, ...split), { signal: NEVER })),
        2,
      );
      expect(second).toMatchObject({ text: 'Let me look.', calls: [{ name: 'resources_list', argumentsJson: '{}' }] });
      const last = await port.generate(
        ask(
          model,
          question,
          first,
          ...split,
          second,
          resultsFor(second, () => 'all of them'),
        ),
        { signal: NEVER },
      );
      expect(answerOf(last).text).toBe('resources_list returned: all of them');
      // Without a script the model reports the results it was given: in order, with the error told apart.
      const told = answerOf(await port.generate(ask(model, question, first, ...split), { signal: NEVER }));
      expect(told.text).toBe(
        'resources_add returned: done 0\n\nresources_add was not carried out: done 1\n\nresources_add returned: done 2',
      );
    });

    test('what the provider signed goes back unchanged, and the provider would notice if not', async () => {
      const port = fixture.models().forModel(model);
      await fixture.script({
        thinking: 'Adding seems right.',
        text: 'I add it.',
        calls: [{ name: 'resources_add', args: { name: 'x', value: 1 } }],
      });
      const answer = answerOf(await port.generate(ask(model, 'go'), { signal: NEVER }));
      expect(answer.text, 'thoughts are not part of the text').toBe('I add it.');
      const said = recorded(answer);
      const again = (message: typeof said) =>
        port.generate(
          ask(
            model,
            'go',
            message,
            resultsFor(message, () => 'ok'),
          ),
          { signal: NEVER },
        );
      expect(answerOf(await again(said)).text).toBe('resources_add returned: ok');
      const { opaque, ...bare } = said;
      expect(opaque).toBeDefined();
      expect(await again(bare)).toMatchObject({ kind: 'failed', message: expect.stringContaining(errorPrefix) });
    });

    test('an answer of another provider, and of the offline model, is rebuilt from its text and calls', async () => {
      const port = fixture.models().forModel(model);
      const foreign: ModelMessage = {
        role: 'assistant',
        text: 'Looking.',
        calls: [
          {
            callId: 'root/0#call.1',
            providerCallId: 'weird id/1',
            name: 'resources_list',
            argumentsJson: '{"pattern":"a"}',
          },
        ],
        provider: 'somebody-else',
        opaque: Buffer.from('{"origin":"live","content":[{"nonsense":1}]}'),
      };
      const rest: (string | ModelMessage)[] = [resultsFor(foreign, () => 'none'), 'and now add x value 1'];
      const outcome = await port.generate(ask(model, 'list', foreign, ...rest), { signal: NEVER });
      expect(answerOf(outcome).calls[0]?.argumentsJson).toBe('{"name":"x","value":1}');
      await fixture.reset();
      await fixture.script({ thinking: 'Hm.', calls: [{ name: 'resources_list' }] }, { text: 'one' }, { text: 'two' });
      const live = recorded(answerOf(await port.generate(ask(model, 'list'), { signal: NEVER })));
      const content = Buffer.from(live.opaque ?? '').toString();
      const offline = { ...live, opaque: Buffer.from(content.replace('"origin":"live"', '"origin":"offline"')) };
      for (const message of [live, offline]) {
        const next = [message, resultsFor(message, () => 'none'), 'thanks'];
        answerOf(await port.generate(ask(model, 'list', ...next), { signal: NEVER }));
      }
      const signature = /ignature":"([^"]+)"/.exec(content)?.[1] ?? 'none';
      const sent = (await fixture.requests()).map((request) => JSON.stringify(request.body).includes(signature));
      expect(sent).toEqual([false, true, false]);
    });

    test('a transcript with gaps is still accepted', async () => {
      const call = { callId: 'c1', providerCallId: 'id1', name: 'resources_list', argumentsJson: 'not json' };
      const stray = { callId: 'c9', providerCallId: '', name: 'gone', content: 'x', isError: false };
      const messages: ModelMessage[] = [
        { role: 'assistant', text: 'I begin', calls: [], provider },
        { role: 'tool', results: [stray] },
        { role: 'user', text: 'first' },
        { role: 'user', text: 'second' },
        { role: 'assistant', text: '  ', calls: [], provider },
        { role: 'assistant', text: 'Hm.', calls: [], provider },
        { role: 'assistant', text: '', calls: [call], provider: 'somebody-else' },
        { role: 'user', text: ' ' },
        { role: 'tool', results: [stray, { ...stray, callId: 'c1', content: 'too late' }] },
        { role: 'user', text: 'third' },
      ];
      await fixture.script({ match: 'third', text: 'Fine.' });
      const outcome = await fixture
        .models()
        .forModel(model)
        .generate(ask(model, ...messages), { signal: NEVER });
      expect(outcome).toMatchObject({ answer: { text: 'Fine.' } });
      expect(JSON.stringify((await fixture.requests())[0]?.body)).toContain('No result of this call was recorded.');
      const empty = await fixture.models().forModel(model).generate(ask(model), { signal: NEVER });
      expect(empty).toEqual({ kind: 'failed', message: `${errorPrefix}: there is no message to answer` });
    });

    test('schemas are passed whole, and tools with names the provider refuses keep their identity', async () => {
      const schema = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { kind: { enum: ['a', 'b'] }, list: { type: 'array', items: { $ref: '#/$defs/item' } } },
        $defs: { item: { type: 'object', properties: { n: { type: ['integer', 'null'], minimum: 0 } } } },
        additionalProperties: false,
      };
      const names = [
        'räume.löschen',
        'räume löschen',
        `${'long/'.repeat(40)}end`,
        '9lives',
        'a.b',
        'a_b',
        'x__0123456789abcdef0123',
      ];
      const request = { ...ask(model, 'go'), tools: names.map((name) => tool(name, schema)) };
      const port = fixture.models().forModel(model);
      await port.generate(request, { signal: NEVER });
      const offered = under.toolsOf((await fixture.requests())[0]?.body ?? {});
      expect(new Set(offered.map(({ name }) => name)).size).toBe(names.length);
      for (const { schema: sent } of offered) expect(sent).toEqual(schema);
      await fixture.script({ calls: offered.map(({ name }) => ({ name })) });
      const answer = answerOf(await port.generate(request, { signal: NEVER }));
      expect(answer.calls.map((call) => call.name)).toEqual(names);
      const said = recorded(answer);
      const report = await port.generate(
        { ...request, messages: [...request.messages, said, resultsFor(said, String)] },
        { signal: NEVER },
      );
      expect(answerOf(report).text.split('\n\n')).toHaveLength(names.length);
    });

    test("a refusal of the request is told in the provider's words and not retried", async () => {
      await fixture.script({ error: { status: 400, message: 'no such model' } });
      const outcome = await fixture.models().forModel(model).generate(ask(model, 'hi'), { signal: NEVER });
      expect(outcome).toEqual({ kind: 'failed', message: `${withStatus(400)}: no such model` });
      expect(await fixture.requests()).toHaveLength(1);
    });

    test.each([
      ['too many requests', { error: { status: 429, message: 'slow down' } }],
      ['a server fault', { error: { status: 503, message: 'overloaded' } }],
      ['a lost connection', { reset: true }],
      ['a stream that breaks off', { truncateStream: true, text: 'half of it' }],
    ])('%s is tried again, at most twice', async (_, fault) => {
      const { clock, waits } = impatientClock();
      const port = fixture.models({ clock }).forModel(model);
      await fixture.script(fault, fault, { text: 'at last' });
      expect(answerOf(await port.generate(ask(model, 'hi'), { signal: NEVER })).text).toBe('at last');
      expect(waits).toEqual([500, 1000]);
      await fixture.reset();
      await fixture.script(fault, fault, fault, { text: 'too late' });
      const outcome = await port.generate(ask(model, 'hi'), { signal: NEVER });
      expect(outcome).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(new RegExp(`^${errorPrefix}(?: \\(\\d+\\))?: .+`)),
      });
      expect(await fixture.requests()).toHaveLength(3);
    });

    test('Retry-After is honoured up to a bound; beyond it the failure is told at once', async () => {
      const { clock, waits } = impatientClock();
      const port = fixture.models({ clock }).forModel(model);
      const busy = (retryAfterSeconds: number) => ({ error: { status: 429, message: 'busy', retryAfterSeconds } });
      await fixture.script(busy(3), { text: 'thanks' });
      const told: unknown[] = [];
      const onRetry = (reason: string, inMs: number) => told.push([reason, inMs]);
      expect(answerOf(await port.generate(ask(model, 'hi'), { signal: NEVER, onRetry })).text).toBe('thanks');
      expect(waits).toEqual([3500]);
      expect(told).toEqual([[`${withStatus(429)}: busy`, 3500]]);
      await fixture.reset();
      await fixture.script(busy(21));
      const patient = fixture.models({ clock: impatientClock(100_000).clock, modelTimeoutMs: 100_000 }).forModel(model);
      expect(await patient.generate(ask(model, 'hi'), { signal: NEVER })).toEqual({
        kind: 'failed',
        message: `${withStatus(429)}: busy`,
        cause: 'rate_limited',
      });
      expect(await fixture.requests()).toHaveLength(1);
    });

    test('once a piece of the answer was shown, nothing is tried again', async () => {
      const deltas: string[] = [];
      await fixture.script({ truncateStream: true, text: 'this will not be complete' }, { text: 'another answer' });
      const outcome = await fixture
        .models()
        .forModel(model)
        .generate(ask(model, 'hi'), { signal: NEVER, onDelta: (text) => deltas.push(text) });
      expect(outcome).toEqual({
        kind: 'failed',
        message: `${errorPrefix}: the connection ended in the middle of the answer`,
        cause: 'unavailable',
      });
      expect(deltas.length).toBeGreaterThan(0);
      expect(await fixture.requests()).toHaveLength(1);
    });

    test('an answer that is no answer is a failure, not retried', async () => {
      const port = fixture.models().forModel(model);
      await fixture.script({ garbage: true }, { text: '' });
      // Nothing of what the runtime shows of it: half of a key may be in that.
      expect(await port.generate(ask(model, 'hi'), { signal: NEVER })).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(/: the answer could not be read: it is (?:no JSON|not a stream of [\w ]+)$/),
      });
      expect(await port.generate(ask(model, 'hi'), { signal: NEVER })).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining('the model gave an empty answer'),
        isEmpty: true,
      });
      expect(await fixture.requests()).toHaveLength(2);
    });

    test('an answer without a word is one where it may be', async () => {
      const port = fixture.models().forModel(model);
      await fixture.script({ text: '' });
      const silent = await port.generate({ ...ask(model, 'hi'), mayBeSilent: true }, { signal: NEVER });
      expect(silent).toMatchObject({ kind: 'answer', answer: { text: '', calls: [] } });
    });

    test('an answer is asked for with as many tokens as it may have', async () => {
      const port = fixture.models().forModel(model);
      await port.generate({ ...ask(model, 'hi'), answerTokensMax: 50 }, { signal: NEVER });
      await port.generate(ask(model, 'hi'), { signal: NEVER });
      const sent = (await fixture.requests()).map(({ body }) => under.tokensMaxOf(body));
      expect(sent).toEqual([50, undefined]);
    });

    test('a server that is not there is a failure that says so', async () => {
      const probe = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => probe.once('listening', resolve));
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      const models = fixture.models({ env: { [under.urlVariable]: `http://127.0.0.1:${port}` } });
      expect(await models.forModel(model).generate(ask(model, 'hi'), { signal: NEVER })).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(new RegExp(`^${errorPrefix}: connection failed: ECONNREFUSED`)),
        cause: 'unavailable',
      });
    });

    test.each([
      ['says nothing', { hang: true }],
      ['stops in the middle', { stallStream: true, text: 'this will not be complete' }],
    ])('a model that %s is given up when the time is over', async (_, fault) => {
      const { clock } = impatientClock(300);
      await fixture.script(fault);
      const outcome = await fixture
        .models({ modelTimeoutMs: 300, clock })
        .forModel(model)
        .generate(ask(model, 'hi'), { signal: NEVER, onDelta: () => undefined });
      expect(outcome).toEqual({
        kind: 'failed',
        message: `${errorPrefix}: timed out after 0.3 s`,
        cause: 'unavailable',
      });
    });

    test('an abort rejects with its reason, before and during the call', async () => {
      const port = fixture.models().forModel(model);
      const reason = new Error('canceled by the user');
      await expect(port.generate(ask(model, 'hi'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(await fixture.requests()).toHaveLength(0);
      await fixture.script({ hang: true });
      const abort = new AbortController();
      const running = expect(port.generate(ask(model, 'hi'), { signal: abort.signal })).rejects.toBe(reason);
      await expect.poll(async () => (await fixture.requests()).length).toBe(1);
      abort.abort(reason);
      await running;
    });

    test('an error that quotes the whole request shows no key and stays short', async () => {
      await fixture.script({ quoteRequest: true }, { quoteRequest: true });
      const port = fixture.models().forModel(model);
      for (const text of ['hi', `${GEMINI_KEY} ${encodeURIComponent(ANTHROPIC_KEY)} ${'x'.repeat(5000)}`]) {
        const outcome = await port.generate(ask(model, text), { signal: NEVER });
        const message = outcome.kind === 'failed' ? outcome.message : '';
        expect(message).toContain('[redacted]');
        expect(message).toContain(errorPrefix);
        expect(message).not.toMatch(/secret|K3y/);
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
      }
    });

    test('a tool whose schema is not JSON is named', async () => {
      const request = {
        ...ask(model, 'hi'),
        tools: [RESOURCES_ADD, { name: 'bad', description: '', inputSchemaJson: '{' }],
      };
      expect(await fixture.models().forModel(model).generate(request, { signal: NEVER })).toMatchObject({
        kind: 'failed',
        message: `${errorPrefix}: the input schema of tool "bad" is not a JSON object`,
      });
    });
  });
}
