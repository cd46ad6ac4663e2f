// Talks to an agent as any program would: a few REST calls with fetch.
import { Untrue } from './holds.mjs';

/**
 * An agent, and people who talk to it. Each step is printed and gives what came of it: the `response`, what `waits` for an
 * approval, where in a tree it is `paused`, which nodes have `spoken` so far, and the whole `conversation`. `url` is asked
 * before each call: an agent that was started again is elsewhere.
 */
export function createAgent(url) {
  let key = {};
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(url() + path, {
      method,
      headers: { 'content-type': 'application/json', ...key, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${answer.error}`);
    return answer;
  };
  return {
    /** Says from now on who talks to it, with an API key of theirs. */
    signIn: (text) => {
      key = { 'x-api-key': text };
    },
    /** Makes somebody a user; gives what is answered. `setUpKey`: of a platform that has none yet. */
    makeUser: (email, setUpKey) =>
      call('POST', '/users', { email, name: email.split('@')[0] }, setUpKey && { 'x-api-key': setUpKey }),
    /** Begins a conversation; `name`: of an agent from git. */
    ask: async (message, name, more = {}) => {
      print('user', message);
      return told(turnOf(await call('POST', '/conversations', { message, ...(name && { agent: name }), ...more })));
    },
    /** Gives the values that an agent, or a tool server, asks for. */
    answer: async ({ conversation }, { id }, content, by) => {
      const body = { action: 'accept', content, by };
      return told(turnOf(await call('POST', `/conversations/${conversation.id}/inputs/${id}`, body)));
    },
    /** Anything else over REST. */
    call,
    /** Answers an approval: `yes` or `no`. */
    decide: async (approval, answer, by) => {
      if (approval === undefined) throw new Untrue(`something waits that ${by} could answer with ${answer}`);
      print(by, `${answer}, ${shownCall(approval)}`);
      return told(turnOf(await call('POST', `/approvals/${approval.uuid}`, { answer }, { 'x-approver': by })));
    },
    /** Looks at a conversation as it stands. */
    look: async ({ conversation }) => turnOf(await call('GET', `/conversations/${conversation.id}`)),
  };
}

/** Prints a line of the story: who, and what they say or do. */
export function print(who, text) {
  console.log(`  ${who.padEnd(9)} ${text.replaceAll('\n', `\n  ${' '.repeat(9)} `)}`);
}

function turnOf({ conversation, result }) {
  const spoken = conversation.messages.map(({ node }) => node).filter(Boolean);
  return {
    conversation,
    response: result?.response,
    waits: conversation.pending_approvals,
    paused: (conversation.pipeline_states ?? []).map(({ node, step_id: step, paused_node_path: path }) => {
      return { node, step, path };
    }),
    spoken: [...new Set(spoken)],
  };
}

function told(turn) {
  for (const approval of turn.waits)
    print('waits', `${approval.node ? `${approval.node}: ` : ''}${shownCall(approval)}`);
  if (turn.waits.length === 0) print('agent', turn.response);
  return turn;
}

function shownCall({ tool_name: tool, tool_args: args }) {
  return `${tool} ${JSON.stringify(args)}`;
}
