import { beforeAll, expect, test } from 'vitest';
import { type Answer, type Client, client } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { journaledConfig } from './platform.ts';
import { replicated } from './replicated.ts';
import { topology } from './topology.ts';

/** Many at once, through any gateway. One process has one; elsewhere there are two of each service that counts. */
let journal: Journal;
let first: Client;
let second: Client;

/** On a busy machine; a quiet one needs a tenth. */
const longMs = 240_000;

const under = replicated(journaledConfig, longMs);

beforeAll(() => {
  journal = journalOf(under.place);
  const { urls } = under.platform;
  expect(urls).toHaveLength(topology === 'one process' ? 1 : 2);
  first = client(urls[0] ?? '');
  second = client(urls.at(-1) ?? '');
});

const call = (tool: string, name: string) => ({ message: `call ${tool} ${JSON.stringify({ name })}` });

test('what one gateway was asked another shows and decides', async () => {
  const { body, status } = await first.post('/conversations', call('erase', 'by-another'));
  expect(status).toBe(201);
  const path = `/conversations/${body.conversation.id}`;
  expect((await second.get(path)).body).toEqual((await first.get(path)).body);
  const decided = await second.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
  expect(decided.status).toBe(200);
  expect(decided.body.result.response).toContain('erase by-another');
  expect(journal.began('erase', 'by-another')).toBe(1);
  expect((await first.get(path)).body.conversation).toEqual(decided.body.conversation);
});

test('of two who decide at once, each through a gateway of theirs, one wins and the other is told who', {
  timeout: longMs,
}, async () => {
  const rounds = 10;
  for (let round = 0; round < rounds; round += 1) {
    const name = `contested-${round}`;
    const { body } = await first.post('/conversations', call('erase', name));
    const path = `/approvals/${body.result.approval?.uuid}`;
    const [yes, no] = await Promise.all([
      first.post(path, { answer: 'yes' }, { 'x-approver': 'alice' }),
      second.post(path, { answer: 'no' }, { 'x-approver': 'bob' }),
    ]);
    const [won, lost] = yes.status === 200 ? [yes, no] : [no, yes];
    expect([won.status, lost.status]).toEqual([200, 409]);
    const approved = won === yes;
    expect(lost.body).toMatchObject({
      decision: approved ? 'approved' : 'rejected',
      decided_by: approved ? 'alice' : 'bob',
      decided_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(journal.began('erase', name)).toBe(approved ? 1 : 0);
  }
});

test('a hundred conversations at once: each is answered, with what is its own and nothing else', {
  timeout: longMs,
}, async () => {
  const count = 100;
  const expectOwn = ({ text }: Answer, name: string): void => {
    expect(new Set(text.match(/talk-\d+-end/g))).toEqual(new Set([name]));
  };
  const talk = async (index: number): Promise<string> => {
    const name = `talk-${index}-end`;
    const [http, other] = index % 2 === 0 ? [first, second] : [second, first];
    const created = await http.post('/conversations', {});
    expect(created.status).toBe(201);
    const { id } = created.body.conversation;
    const noted = await http.post(`/conversations/${id}/messages`, call('note', name));
    expect(noted.status).toBe(200);
    expect(noted.body.result.response).toContain(`note ${name}`);
    const asked = await other.post(`/conversations/${id}/messages`, call('erase', name));
    expect(asked.status).toBe(200);
    expect(asked.body.result.approvals.map(({ tool_args }) => tool_args)).toEqual([{ name }]);
    const decided = await http.post(`/approvals/${asked.body.result.approval?.uuid}`, { approved: true });
    expect(decided.status).toBe(200);
    expect(decided.body.result.response).toContain(`erase ${name}`);
    for (const answer of [noted, asked, decided, await other.get(`/conversations/${id}`)]) {
      expect(answer.body.conversation.id).toBe(id);
      expectOwn(answer, name);
    }
    return id;
  };
  const ids = await Promise.all(Array.from({ length: count }, (_, index) => talk(index)));
  expect(new Set(ids).size).toBe(count);
  for (let index = 0; index < count; index += 1)
    for (const tool of ['note', 'erase']) expect(journal.began(tool, `talk-${index}-end`)).toBe(1);
});
