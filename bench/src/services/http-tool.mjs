// The smallest tool server there can be over HTTP: protocol 2024-11-05, JSON answers, no sessions, one destructive tool
// that does nothing. Any number of bridges may call it at once.
import { createServer } from 'node:http';

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

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405, { 'content-length': 0 }).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (id === undefined) return response.writeHead(202, { 'content-length': 0 }).end();
    const answer = answers[method];
    const outcome =
      answer === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result: answer(params) };
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
