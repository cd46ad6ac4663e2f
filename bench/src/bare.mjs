// What a stop-and-go turn costs with nothing kept: the same exchanges with client, model and tool servers as the platform has,
// through the same SDKs, and no log, no fence, no policy and no second process. Nobody can do the same work with less, so that
// the bench tells what the platform takes as a ratio to this. Takes the platform's configuration file:
// `node bare.mjs CONFIG`. It is JavaScript, as the platform under test is, so that no loader counts into its memory.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { GoogleGenAI } from '@google/genai';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { prompt, llm, mcp_servers: servers } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { models } = new GoogleGenAI({
  apiKey: process.env.GEMINI_API_KEY,
  vertexai: false,
  httpOptions: { baseUrl: process.env.GEMINI_BASE_URL, fetch: fetchKept },
});

/** The client of the server that has the tool, by the tool's name. */
const clients = new Map();
const functionDeclarations = [];
await Promise.all(servers.map(connect));
const config = { systemInstruction: prompt, tools: [{ functionDeclarations }] };

/** What was said in each conversation, and the calls that wait for a yes: gone with the process. */
const conversations = new Map();
const waiting = new Map();

async function connect({ command, args }) {
  const client = new Client({ name: 'bare', version: '1' });
  await client.connect(new StdioClientTransport({ command, args }));
  const { tools } = await client.listTools();
  for (const { name, description, inputSchema } of tools) {
    clients.set(name, client);
    functionDeclarations.push({ name, description, parametersJsonSchema: inputSchema });
  }
}

/** Asks the model for what comes next: a call, which waits, or the answer. */
async function goOn(id) {
  const contents = conversations.get(id);
  const parts = [];
  const stream = await models.generateContentStream({ model: llm.model, contents, config });
  for await (const chunk of stream) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
  contents.push({ role: 'model', parts });
  const call = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
  if (call === undefined) return { waiting_approval: false, response: parts.map(({ text }) => text ?? '').join('') };
  const uuid = randomUUID();
  waiting.set(uuid, { id, call });
  return { waiting_approval: true, response: '', approval: { uuid, tool: call.name, arguments: call.args } };
}

function create() {
  const id = randomUUID();
  conversations.set(id, []);
  return { conversation: { id } };
}

async function take(id, { message }) {
  conversations.get(id).push({ role: 'user', parts: [{ text: message }] });
  return { conversation: { id }, result: await goOn(id) };
}

async function decide(uuid) {
  const { id, call } = waiting.get(uuid);
  waiting.delete(uuid);
  const { content } = await clients.get(call.name).callTool({ name: call.name, arguments: call.args });
  const output = content.map(({ text }) => text).join('\n');
  const functionResponse = { name: call.name, response: { output } };
  conversations.get(id).push({ role: 'user', parts: [{ functionResponse }] });
  return { conversation: { id }, result: await goOn(id) };
}

const kept = new Agent({ keepAlive: true });

/** What the SDK needs of `fetch`, for a third of what the one of Node costs: the platform gives it one of its own, too. */
function fetchKept(url, { method, headers, body }) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: Object.fromEntries(headers), agent: kept }, (message) => {
      const chunks = [];
      message.on('data', (chunk) => chunks.push(chunk));
      message.on('end', () => {
        resolve(new Response(Buffer.concat(chunks), { status: message.statusCode, headers: message.headers }));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The three requests of a turn; everything else fails. */
async function answer(url, body) {
  const [, collection, id, part] = url.split('/');
  if (url === '/conversations') return [201, create()];
  if (collection === 'conversations' && part === 'messages') return [200, await take(id, body)];
  if (collection === 'approvals') return [200, await decide(id)];
  return [404, {}];
}

const server = createServer((request, response) => {
  const chunks = [];
  const send = ([status, body]) => {
    const text = JSON.stringify(body);
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  };
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    answer(request.url, JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')).then(send, (error) =>
      send([500, { error: String(error) }]),
    );
  });
});
process.once('SIGTERM', () => process.exit(0));
// A connection that rests for a while is not closed: whoever holds it goes on with it.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on http://127.0.0.1:${server.address().port}\n`));
