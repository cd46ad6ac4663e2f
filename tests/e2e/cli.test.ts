import { createHash } from 'node:crypto';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, stopgo, type Workplace, workplace } from './platform.ts';
import { stopgoHere } from './stopgo-here.ts';

/**
 * What an operator sees from a terminal: decisions while the platform runs, the log whether it does or not. A few commands are processes of
 * their own, for the exit codes and for what the program itself does; the others run here, which takes less time.
 */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
let conversation: string;

/** Would clear a terminal and write over it. */
const hostile = 'bell\u0007\u001b[2Jgone\u202egnp';

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  // What follows reads the embedded log.
  platform = await start(place, resourcesConfig(place), { command: 'start', env: model.env });
  http = client(platform.url);
  await model.script({ match: 'hostile', calls: [{ name: 'resources_add', args: { name: hostile, value: 1 } }] });
  const { body } = await http.post('/conversations', { message: 'hostile' });
  conversation = body.conversation.id;
});

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

const waiting = async (name: string): Promise<string> => {
  const { body } = await http.post('/conversations', { message: `create a server ${name} with value 1` });
  return body.result.approval?.uuid ?? '';
};

/** Runs a command to its end: as a process, or here. */
type Run = (args: readonly string[]) => ReturnType<typeof stopgo>;

/** Control and format characters other than the end of a line. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}]/u;

describe('while the platform runs', () => {
  const through = (args: readonly string[], run: Run = stopgoHere) => run([...args, '--url', platform.url]);

  test('what waits is listed with what it would do, nothing unprintable in it', async () => {
    const uuid = await waiting('listed');
    const { code, output } = await through(['approvals']);
    expect(code).toBe(0);
    expect(output).toContain(uuid);
    expect(output).toContain('**ADD Resource**');
    expect(output).toContain('Name: listed');
    expect(output).toContain('gone');
    expect(output).not.toMatch(unprintable);
    expect(output).toContain('2 waiting');
    await through(['reject', uuid]);
  });

  test('an approval is decided once, by name; who comes later is told', async () => {
    const uuid = await waiting('from-a-terminal');
    const approved = await through(['approve', uuid, '--by', 'alice'], stopgo);
    expect(approved).toMatchObject({ code: 0, output: expect.stringContaining('added "from-a-terminal"') });
    const late = await through(['reject', uuid], stopgo);
    expect(late.code).toBe(1);
    expect(late.errors).toMatch(/^stopgo: .*approved by alice \(claimed\) at \d{4}-.*\n$/);
    const rejected = await through(['reject', await waiting('not-wanted')]);
    expect(rejected).toMatchObject({ code: 0, output: '| Operation cancelled by user.\n' });
  });

  test('a chat shows what comes of each message, and asks for the decision', async () => {
    const chat = (args: readonly string[], said: string) => stopgoHere(['chat', ...args, '--url', platform.url], said);
    const said = [
      'list all resources',
      'create a server chatted with value 7',
      'yes',
      'create a server unsaid with value 8',
    ];
    const { code, output } = await chat(['--by', 'bob'], said.join('\n'));
    expect(code).toBe(0);
    const inOrder = [
      '> list all resources',
      '  calls resources_list {}',
      '| resources_list: ',
      '> create a server chatted with value 7',
      '  calls resources_add {"name":"chatted","value":7}',
      'a human is to decide: resources_add of resources',
      '    | Name: chatted',
      'May it run? yes or no: yes',
      '| resources_add: added "chatted" with value 7',
      '> create a server unsaid with value 8',
      'a human is to decide: ',
      'it waits; ',
    ];
    const places = inOrder.map((text) => output.indexOf(text));
    expect(places).not.toContain(-1);
    expect(output.match(/added "chatted"/g)).toHaveLength(1);
    const id = /^conversation (\S+) /m.exec(output)?.[1] ?? '';
    const { body } = await http.get(`/approvals?status=approved&conversation=${id}`);
    expect(body.approvals).toMatchObject([{ decided_by: 'bob', tool_args: { name: 'chatted' } }]);
    const resumed = await chat([id], 'maybe');
    expect(resumed).toMatchObject({ code: 1, errors: expect.stringContaining('nothing was decided') });
    const ended = await chat([id], 'no\nlist all resources');
    expect(ended).toMatchObject({ code: 0, output: expect.stringContaining('| resources_list: ') });
    expect(ended.output).not.toContain('added');
  });

  test('an approval is assigned, shown so, and assigned to nobody', async () => {
    const uuid = await waiting('assigned');
    const assigned = await through(['assign', uuid, '--to', 'ana', '--by', 'bob']);
    expect(assigned).toMatchObject({ code: 0, output: 'assigned to ana (claimed) by bob (claimed)\n' });
    expect((await through(['approvals'])).output).toContain('    assigned to ana (claimed) by bob (claimed)\n');
    expect((await through(['assign', uuid, '--nobody'])).output).toBe('assigned to nobody\n');
    const neither = await through(['assign', uuid]);
    expect(neither).toMatchObject({ code: 1, errors: expect.stringContaining('--to NAME or --nobody') });
    expect((await through(['reject', uuid])).code).toBe(0);
    const late = await through(['assign', uuid, '--to', 'ana']);
    expect(late).toMatchObject({ code: 1, errors: expect.stringContaining('is settled: rejected by') });
  });

  test('an approval that does not exist, and a platform that is not there, are one line', async () => {
    const unknown = await through(['approve', '00000000-0000-4000-8000-000000000000']);
    expect(unknown).toMatchObject({
      code: 1,
      errors: 'stopgo: no conversation found with approval UUID: 00000000-0000-4000-8000-000000000000\n',
    });
    const nobody = await stopgoHere(['approvals', '--url', 'http://127.0.0.1:1']);
    expect(nobody.code).toBe(1);
    expect(nobody.errors).toMatch(/^stopgo: no answer from http:\/\/127\.0\.0\.1:1: .*\n$/);
  });

  test('the log is read beside it, as it is at one moment', async () => {
    const read = (args: readonly string[], run: Run = stopgoHere) => run([...args, '--data-dir', place.dataDir]);
    const exported = JSON.parse((await read(['export', conversation], stopgo)).output) as {
      conversation: { head: { revision: number } };
      events: readonly { type: string }[];
    };
    expect(exported.events.map(({ type }) => type)).toContain('ApprovalRequested');
    expect(exported.conversation.head.revision).toBe(exported.events.length);
    expect((await read(['replay', conversation])).output).toMatch(/run \S+: waiting/);
    expect((await read(['graph', conversation])).output).toMatch(/waits for approval/);
    const events = await read(['events', conversation]);
    expect([events.code, events.output.split('\n').length]).toEqual([0, exported.events.length + 1]);
    // More is written while it is read.
    const [verified] = await Promise.all([read(['verify'], stopgo), waiting('meanwhile'), waiting('meanwhile')]);
    expect(verified.output).toMatch(
      /^\d+ streams, \d+ events: every hash chain holds and every view equals its events\n$/,
    );
    expect(verified.code).toBe(0);
  });
});

describe('when it does not run', () => {
  const log = () => join(place.dataDir, 'stopgo.db');
  const read = (args: readonly string[], dataDir = place.dataDir, run: Run = stopgoHere) =>
    run([...args, '--data-dir', dataDir]);
  let before: Buffer;

  beforeAll(async () => {
    expect(await platform.end('SIGTERM')).toBe(0);
    before = readFileSync(log());
  });

  test('events tells what happened, in lines or as JSON', async () => {
    const { code, output } = await read(['events', conversation]);
    expect(code).toBe(0);
    const lines = output.trimEnd().split('\n');
    expect(lines.map((line) => line.trim().split(/\s+/)[2])).toEqual([
      'ConversationCreated',
      'UserMessageReceived',
      'RunStarted',
      'StepStarted',
      'ModelResponded',
      'ApprovalRequested',
      'RunReleased',
    ]);
    expect(output).not.toMatch(unprintable);
    const json = (await read(['events', conversation, '--json'])).output.trimEnd().split('\n');
    expect(json.map((line) => (JSON.parse(line) as { revision: number }).revision)).toEqual(lines.map((_, i) => i + 1));
  });

  test('replay shows the conversation as it stood', async () => {
    const now = await read(['replay', conversation]);
    expect(now.output).toMatch(/run \S+: waiting/);
    expect(now.output).toContain('pending approval');
    expect(now.output).not.toMatch(unprintable);
    const then = await read(['replay', conversation, '--at', '4']);
    expect(then.output).toMatch(/at revision 4/);
    expect(then.output).toMatch(/run \S+: working/);
    expect(then.output).not.toContain('pending approval');
    const never = await read(['replay', conversation, '--at', '99']);
    expect(never.code).toBe(1);
    expect(never.errors).toBe('stopgo: the conversation has 7 events; there is no revision 99\n');
  });

  test('export holds the conversation and a chain of hashes that anybody can compute', async () => {
    const { code, output } = await read(['export', conversation], place.dataDir, stopgo);
    expect(code).toBe(0);
    const exported = JSON.parse(output) as {
      messages: readonly unknown[];
      events: readonly { envelope_base64: string; hash: string }[];
    };
    expect(exported.events).toHaveLength(7);
    expect(exported.messages.length).toBeGreaterThan(2);
    let previous = Buffer.alloc(32);
    for (const { envelope_base64, hash } of exported.events) {
      const own = createHash('sha256').update(previous).update(Buffer.from(envelope_base64, 'base64')).digest();
      expect(own.toString('hex')).toBe(hash);
      previous = own;
    }
  });

  test('verify finds nothing wrong, and no command has written anything', async () => {
    const { code, output } = await read(['verify'], place.dataDir, stopgo);
    expect(output).toMatch(/^\d+ streams, \d+ events: every hash chain holds and every view equals its events\n$/);
    expect(code).toBe(0);
    expect(readFileSync(log()).equals(before)).toBe(true);
    expect(statSync(place.dataDir).mode & 0o077).toBe(0);
    expect(statSync(log()).mode & 0o077).toBe(0);
  });

  test('verify finds a record that was changed, wherever it stands, and says where', async () => {
    const copy = join(place.folder, 'tampered');
    cpSync(place.dataDir, copy, { recursive: true });
    // All of what is stored of this name is changed alike, so that only the chain can tell.
    const bytes = Buffer.from(before.toString('latin1').replaceAll('from-a-terminal', 'from-a-Terminal'), 'latin1');
    expect(bytes.equals(before)).toBe(false);
    writeFileSync(join(copy, 'stopgo.db'), bytes);
    const { code, output } = await read(['verify'], copy, stopgo);
    expect(code).toBe(1);
    expect(output).toMatch(/conversation\S*: .*(hash|chain)/);
    expect(output).toMatch(/\d+ problems\n$/);
    expect((await read(['verify', conversation], copy)).code).toBe(0);
  });

  test('a conversation or a log that is not there is one line', async () => {
    const absent = '00000000-0000-4000-8000-000000000000';
    for (const command of ['events', 'verify']) {
      const { code, errors } = await read([command, absent]);
      expect(errors).toMatch(new RegExp(`^stopgo: there is no stream \\S*${absent} in this log\\n$`));
      expect(code).toBe(1);
    }
    const nowhere = await read(['verify'], join(place.folder, 'nowhere'));
    expect(nowhere.code).toBe(1);
    expect(nowhere.errors).toMatch(
      /^stopgo: the data directory \S+nowhere holds no log; check the path, or name .* --store HOST:PORT\n$/,
    );
  });
});

describe('what it does not understand', () => {
  test('a process ends as its command does', async () => {
    const { code, errors } = await stopgo(['strat']);
    expect([code, errors]).toEqual([
      1,
      'stopgo: unknown command "strat"; did you mean "start"? `stopgo help` lists all of them\n',
    ]);
  });

  test('help is help', async () => {
    const { code, output } = await stopgo(['--help']);
    expect(output).toMatch(/^usage: stopgo COMMAND/);
    expect(code).toBe(0);
  });
});
