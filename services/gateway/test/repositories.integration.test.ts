import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

test('a repository that was added is answered, and no address is named at which nothing is answered', async () => {
  const addRepository = async () => ({ repository: { name: 'team', gitUrl: 'https://example.org/a.git' } });
  const { send } = await gateway({ registry: { addRepository } });
  const body = { name: 'team', git_url: 'https://example.org/a.git' };
  const { status, json, headers } = await send('POST', '/repositories', { body });
  expect([status, json.repository.name]).toEqual([201, 'team']);
  expect(headers.location).toBeUndefined();
});
