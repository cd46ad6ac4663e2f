import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'Bob hears of what waits for him, and decides with the link that comes with it';
export const companion = 'receiver.mjs';
export const env = { WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}` };

export default async function story({ agent, url, folder, companionUrl, companionSays }) {
  // The first user is made with the key that a new platform keeps in its data, and makes the others.
  const setUpKey = readFileSync(join(folder, 'data', 'setup-key'), 'utf8').trim();
  const { key } = await agent.makeUser('ana@example.com', setUpKey);
  agent.signIn(key.text);
  await agent.makeUser('bob@example.com');

  const asked = await agent.ask('create a server web-1 with value 42');
  const card = await companionSays(/card: .*\n.*\n.*\n.*to decide as .*/);
  const link = card.split(' ').at(-1);
  print('receiver', card);
  holds('the card says who wants what', card.includes('resources-desk wants to call resources_add on resources'), true);
  holds('and shows the arguments', card.includes('{"name":"web-1","value":42}'), true);
  holds('and why it is asked', card.includes('Whatever is added costs money.'), true);
  holds('and has a link for Bob', card.includes('to decide as bob@example.com: http://127.0.0.1:8080/links/'), true);

  print('bob', 'opens the link');
  // In this story the agent has a port of its own.
  const page = new URL(new URL(link).pathname, url());
  const shown = await (await fetch(page)).text();
  holds('the page asks him', shown.includes('bob@example.com') && shown.includes('web-1'), true);
  holds('and that it was opened decides nothing', (await agent.look(asked)).waits.length, 1);

  print('bob', 'presses Approve');
  const press = () => fetch(page, { method: 'POST', body: new URLSearchParams({ decision: 'approve' }) });
  holds('his decision is taken', (await press()).status, 200);
  const settled = await companionSays(/card: .*: approved by .*/);
  print('receiver', settled);
  holds('the receiver hears that it was his', settled.endsWith('approved by bob@example.com'), true);
  holds('and the link is used', (await press()).status, 410);

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
