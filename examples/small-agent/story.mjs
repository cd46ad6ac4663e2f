import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'another agent, made of one function, does what this one cannot';
export const companion = 'converter.mjs';

export default async function story({ agent, companionUrl }) {
  const converted = await agent.ask('call a2a_converter {"message": "20 C"}');
  holds('the other agent was asked, and nobody had to approve', converted.waits.length, 0);
  holds('its answer came back', /68 F/.test(converted.response), true);

  const refused = await agent.ask('call a2a_converter {"message": "warm"}');
  holds('what it throws is told as its failure', /there is no temperature/.test(refused.response), true);

  // Whoever speaks A2A may ask it, too; it may ask back.
  const say = async (text, taskId) => {
    print('peer', text);
    const { task } = await send(companionUrl, text, taskId);
    print('converter', task.status.message?.parts[0].text ?? task.artifacts[0].parts[0].text);
    return task;
  };
  const asked = await say('how much is 68');
  holds('it cannot go on without an answer', asked.status.state, 'TASK_STATE_INPUT_REQUIRED');
  const answered = await say('F', asked.id);
  holds('the answer brought the task to its end', answered.status.state, 'TASK_STATE_COMPLETED');
  holds('it remembered what was asked before', answered.artifacts[0].parts[0].text, '20 C');
}

async function send(url, text, taskId) {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...(taskId && { taskId }) };
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(error.message);
  return result;
}
