// The tool server of the examples, spoken to directly: a second process on the same database, over standard streams.
import { join } from 'node:path';
import { runNode } from './processes.mjs';

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'example', version: '1.0.0' },
};

/** What is there, and a way to put something there before the story begins. */
export function toolServer(folder) {
  const server = [join('mcp-servers', 'resources', 'dist', 'main.js'), '--db', join('data', 'resources.db')];
  const call = async (name, args) => {
    const messages = [
      { id: 1, method: 'initialize', params: HELLO },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name, arguments: args } },
    ];
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answers = (await runNode(server, folder, lines.join('')))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { result, error } = answers.find(({ id }) => id === 2) ?? {};
    if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result)}`);
    return JSON.parse(result.content[0].text);
  };
  return {
    /** The names and values of the resources that are there. */
    resources: async () => {
      const { resources } = await call('resources_list', {});
      return Object.fromEntries((resources ?? []).map(({ name, value }) => [name, value]));
    },
    /** Puts a resource there, without any agent. */
    place: (name, value) => call('resources_add', { name, value }),
  };
}
