// The smallest tool server there can be: protocol 2024-11-05, one destructive tool that does nothing. What the bench
// measures is the platform, not this. On standard input and output, or with `--http` over HTTP (JSON answers, no sessions),
// where any number of bridges may call it at once; there it measures its own time. The tool may have another name than "erase"
// (`--name erase_slowly`), and over standard output take its time (`--call-ms 2000`).
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    http: { type: 'boolean', default: false },
    name: { type: 'string', default: 'erase' },
    'call-ms': { type: 'string', default: '0' },
  },
});
const callMs = Number(values['call-ms']);

const tool = {
  name: values.name,
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

/** The answer to one message; undefined for one that wants none. */
function answerTo(text) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return undefined;
  const answer = answers[method];
  const outcome =
    answer === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result: answer(params) };
  return JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
}

function onStandardInput() {
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const answer = answerTo(line);
      if (answer === undefined) return;
      const send = () => process.stdout.write(`${answer}\n`);
      if (callMs > 0 && JSON.parse(line).method === 'tools/call') setTimeout(send, callMs);
      else send();
    })
    .on('close', () => process.exit(0));
}

function overHttp() {
  let spentMs = 0;
  const server = createServer((request, response) => {
    if (request.url === '/spent') return response.end(JSON.stringify({ spentMs }));
    const began = performance.now();
    response.once('finish', () => {
      spentMs += performance.now() - began;
    });
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405, { 'content-length': 0 }).end();
      const answer = answerTo(Buffer.concat(chunks).toString('utf8'));
      if (answer === undefined) return response.writeHead(202, { 'content-length': 0 }).end();
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
        .end(answer);
    });
  });
  // A connection that rests for a while is not closed: whoever holds it goes on with it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
}

if (values.http) overHttp();
else onStandardInput();
