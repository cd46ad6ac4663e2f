import { serverList } from '../api/server.ts';
import { alarmList, apiDocument, apiList, health, waitList } from '../api/service.ts';
import { toolList } from '../api/tool.ts';
import { type Endpoint, errorExample } from './endpoint.ts';

export const serviceEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/health',
    isOpen: true,
    summary: 'Health check',
    description:
      'Says that the service answers: "status" is ok, or degraded if nothing can be recorded now ("reason" says why, as on a full disk). It is 200 either way: to restart the service would not help.',
    responses: {
      '200': { schema: health, description: 'It does.', example: { status: 'ok' } },
    },
  },
  {
    method: 'GET',
    path: '/tools',
    summary: 'List tools',
    description:
      'Every tool that the agent can use, with its schema. Calls of a tool with destructiveHint wait for an approval, and so do all calls of one with "approval": "require". "hints" says what holds in the end and where each hint comes from: the tool\'s "annotations"; the "top_level" of its definition; "read_only", as a tool that only reads destroys nothing; the "configuration"; or "default", as nobody says anything. "pin" is the SHA-256 of its definition.',
    responses: {
      '200': {
        schema: toolList,
        description: 'The tools.',
        example: {
          tools: [
            {
              name: 'resources_add',
              description: 'Add a new resource with a name and value',
              inputSchema: {
                type: 'object',
                properties: { name: { type: 'string' }, value: { type: 'integer' } },
                required: ['name', 'value'],
              },
              destructiveHint: true,
              annotations: { readOnlyHint: false, destructiveHint: true },
              hints: {
                readOnlyHint: { value: false, from: 'annotations' },
                destructiveHint: { value: true, from: 'annotations' },
                idempotentHint: { value: false, from: 'default' },
                openWorldHint: { value: true, from: 'default' },
              },
              pin: '9f2c1f0e6f0d4a1b8a52c0f3a9f1d7d4c6b9f3b1a2e4d5c6b7a8f9e0d1c2b3a4',
              pin_state: 'first_use',
              server: 'resources',
            },
          ],
        },
      },
      '503': { description: 'The tools cannot be asked for now.', example: errorExample('…') },
    },
  },
  {
    method: 'GET',
    path: '/mcp/servers',
    summary: 'List tool servers',
    description:
      'How each configured tool server is: an entry for each server and bridge, since every bridge has connections of its own. "state" is starting, ready, not_offered (connected, but models are offered none of its tools), degraded (connected, owes a sign of life), backoff (lost, tried again after a pause that grows), crash_loop (ends again and again) or quarantined (refused for what it is; "reason" says why). "left_out" are tools that are not taken, and why; "tools_held" is how many wait until somebody accepts them, "tools_deselected" how many the configuration leaves out; "problems" says the same and more in sentences. A bridge that does not answer is listed as one that does not.',
    responses: {
      '200': {
        schema: serverList,
        description: 'The servers, and the bridges that were asked.',
        example: {
          servers: [
            {
              name: 'resources',
              bridge: 'bridge-0d9c6c52-6a2b-4a52-93a5-3ed6a9f7a2c1',
              transport: 'stdio',
              address: 'mcp-resources',
              state: 'ready',
              since: '2026-01-15T10:30:00.000Z',
              last_error: { text: 'its process was ended by SIGKILL', at: '2026-01-15T10:29:58.000Z' },
              protocol: { era: 'modern', version: '2026-07-28' },
              restarts: 1,
              tools: 3,
              tools_held: 0,
              tools_deselected: 0,
              identity: '5a1d6c0e9b7f4d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a29181706',
              pins_strict: false,
              left_out: [],
              problems: [],
              calls: { running: 0, waiting: 0, at_once: 1 },
            },
          ],
          bridges: [{ instance: 'bridge-0d9c6c52-6a2b-4a52-93a5-3ed6a9f7a2c1', answers: true }],
        },
      },
      '503': { description: 'No bridge answers.', example: errorExample('…') },
    },
  },
  {
    method: 'GET',
    path: '/docs',
    isOpen: true,
    summary: 'This description as a page',
    description: 'Shows every route with its parameters, its body and its answers, and sends requests from forms.',
    responses: { '200': { description: 'The page.', example: '<!doctype html>…', content_type: 'text/html' } },
  },
  {
    method: 'GET',
    path: '/alarms',
    summary: 'List what somebody should look at',
    description:
      'The lines of level warn and error that each process of the platform has logged since it started, each kind of line once, the latest first, 50 of a process and level at most. What each means and what to do stands in docs/operations.md, "Alarms". processes names all that were asked; one that gave no answer within 2 s has answers: false. Where people sign in, it is for administrators.',
    responses: {
      '200': {
        schema: alarmList,
        description: 'All of them.',
        example: {
          alarms: [
            {
              ...{ level: 'warn', message: 'an event stream broke off', fields: { conversation: '3f0a…' }, count: 2 },
              ...{ first_at: '2026-11-27T09:05:44.818Z', last_at: '2026-11-27T09:07:01.200Z' },
              ...{ service: 'gateway', instance: 'gateway-1b7c…' },
            },
          ],
          processes: [{ service: 'gateway', instance: 'gateway-1b7c…', answers: true }],
        },
      },
    },
  },
  {
    method: 'GET',
    path: '/waits',
    summary: 'List what runs wait for',
    description:
      'What runs wait for now besides people, across conversations, as the processes that drive them say: a model that cannot be asked, an agent or a tool server that is out of reach, and so on, each once, what is waited for longest first. "since" is when the first of these runs began to wait, "next_try_at" when it is tried again for that one. Where people sign in, it is for administrators.',
    responses: {
      '200': {
        schema: waitList,
        description: 'All of it; an empty list while no run waits for anything but people.',
        example: {
          waits: [
            {
              ...{ kind: 'agent', name: 'bank', since: '2026-11-27T09:05:44.818Z' },
              text: 'the agent "bank" is out of reach since 2026-11-27T09:05:44.818Z',
              ...{ runs: 1, conversation_ids: ['5b8c1c1e-4c0b-4f7a-9a51-0d2f1f5e7a10'] },
            },
          ],
        },
      },
    },
  },
  {
    method: 'GET',
    path: '/docs/json',
    isOpen: true,
    summary: 'This description',
    description: 'Every route with its request fields and answers, as JSON.',
    responses: {
      '200': {
        schema: apiList,
        description: 'The description.',
        example: { title: 'Agent Stop and Go API', description: '…', version: '1.0.0', endpoints: [] },
      },
    },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    isOpen: true,
    summary: 'This description as OpenAPI',
    description:
      'Every route with the schemas of its requests and answers, and of the events of event streams (x-events), as an OpenAPI 3.1 document. Requests are checked with the same schemas.',
    responses: { '200': { schema: apiDocument, description: 'The document.', example: { openapi: '3.1.0' } } },
  },
];
