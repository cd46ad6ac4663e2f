// The smallest tool server there can be: protocol 2024-11-05 on standard input and output, one destructive tool that
// does nothing. What the bench measures is the platform, not this.
import { createInterface } from 'node:readline';

const tool = {
  name: 'erase',
  description: 'Erases a note',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  annotations: { destructiveHint: true },
};

const answers = {
  initialize: () => ({
    protocolVersion: '2024-11-05',
    capabilities: { tools: {} },
    serverInfo: { name: 'bench-tool', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { note } }) => ({ content: [{ type: 'text', text: `erased ${note}` }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const outcome =
      answer === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result: answer(params) };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
  })
  .on('close', () => process.exit(0));
