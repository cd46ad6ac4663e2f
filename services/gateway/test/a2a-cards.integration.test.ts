import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const bridge = { listTools: async () => ({ tools: [] }) };

test.each([
  ['the public URL, where one is configured', { publicUrl: 'https://shop.example.com/agent' }],
  ['where it was asked, otherwise', {}],
])('a card names %s', async (_where, more) => {
  const { send, url } = await gateway({ bridge }, more);
  const base = 'publicUrl' in more ? more.publicUrl : url;
  const { json } = await send('GET', '/.well-known/agent.json');
  expect(json.url).toBe(`${base}/a2a/v1`);
  expect(json.supportedInterfaces.map((one: { readonly url: string }) => one.url)).toEqual([
    `${base}/a2a`,
    base,
    `${base}/a2a/v1`,
    base,
  ]);
});
