import { createHmac, randomBytes } from 'node:crypto';
import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'people hear of what waits for them: a webhook is told, signed, and prints a card';
export const companion = 'receiver.mjs';
export const env = { WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}` };

export default async function story({ agent, companionUrl, companionSays }) {
  const asked = await agent.ask('create a server web-1 with value 42');
  const [approval] = asked.waits;
  const card = await companionSays(/card: .*\n.*\n.*\n.*\n.*\[reject\].*/);
  print('receiver', card);
  holds('the card says who wants what', card.includes('resources-desk wants to call resources_add on resources'), true);
  holds('and shows the arguments', card.includes('{"name":"web-1","value":42}'), true);
  holds('and why it is asked', card.includes('Whatever is added costs money.'), true);
  const line = card.split('\n').find((one) => one.includes('[approve]')) ?? '';
  holds('and how to say yes', line.includes(`/approvals/${approval.uuid} -H "X-API-Key: $STOPGO_API_KEY"`), true);

  await agent.decide(approval, 'yes', 'bob');
  const settled = await companionSays(/card: .*: approved by .*/);
  print('receiver', settled);
  holds('it hears of the decision, too', settled.endsWith('approved by bob'), true);

  const forged = await post(companionUrl, '{"type":"approval.requested"}');
  holds('what nobody has signed is refused', forged, 401);
}

/** As somebody would who does not have the secret. */
async function post(url, body) {
  const id = 'forged';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', 'a guess').update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  const { status } = await fetch(url, { method: 'POST', headers, body });
  return status;
}
