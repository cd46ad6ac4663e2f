import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tierOf } from '../../../tests/tiers.ts';
import { connect, GENERATIONS, type Peer } from './peers.ts';
import { killStarted, type Program, runHttp, temporaryFolder } from './program.ts';

const RFC3339_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/u;

const ERRORS: readonly [tool: string, args: Record<string, unknown>, text: string | RegExp][] = [
  ['resources_add', { value: 1 }, 'name is required'],
  ['resources_add', { name: ' ', value: 1 }, 'name is required'],
  ['resources_add', { name: 7, value: 1 }, 'name must be a string'],
  ['resources_add', { name: 'n'.repeat(257), value: 1 }, 'name must be at most 256 characters'],
  ['resources_add', { name: 'a\u001bb', value: 1 }, 'name must not contain control characters'],
  ['resources_add', { name: 'a\u202eb', value: 1 }, 'name must not contain control characters'],
  ['resources_add', { name: 'n' }, 'value is required and must be an integer'],
  ['resources_add', { name: 'n', value: 1.5 }, 'value is required and must be an integer'],
  ['resources_add', { name: 'n', value: 'forty' }, 'value is required and must be an integer'],
  ['resources_add', { name: 'n', value: '' }, 'value is required and must be an integer'],
  ['resources_add', { name: 'n', value: true }, 'value is required and must be an integer'],
  ['resources_add', { name: 'n', value: '9007199254740992' }, /^value must be an integer from -9007199254740991 to/u],
  ['resources_remove', {}, 'either id or pattern is required'],
  ['resources_remove', { id: '', pattern: '' }, 'either id or pattern is required'],
  ['resources_remove', { id: null, pattern: null }, 'either id or pattern is required'],
  ['resources_remove', { id: 5 }, 'id must be a string'],
  ['resources_remove', { pattern: '(' }, /^invalid pattern: /u],
  ['resources_remove', { pattern: 'a', limit: 1 }, 'unknown argument "limit": resources_remove takes id and pattern'],
  ['resources_list', { pattern: '(?=a)' }, /^invalid pattern: /u],
  ['resources_list', { pattern: 'a'.repeat(1_001) }, 'invalid pattern: longer than 1000 characters'],
  ['resources_list', { pattern: 'a{1000}'.repeat(100) }, /^invalid pattern: too complex/u],
];

/** `npm test` goes over one transport only. */
const transports = tierOf(process.env) === 'quick' ? (['stdio'] as const) : (['stdio', 'http'] as const);

describe.each(transports)('over %s', (transport) => {
  describe.each(GENERATIONS)('client: %s', (generation) => {
    const folder = temporaryFolder();
    let program: Program | undefined;
    let peer: Peer;

    beforeAll(async () => {
      const args = ['--db', join(folder.path, 'deep', 'r.db')];
      if (transport === 'stdio') {
        peer = await connect(generation, { args });
        return;
      }
      const served = await runHttp([...args, '--http', '--port', '0']);
      program = served;
      peer = await connect(generation, { url: served.url });
    });

    afterAll(async () => {
      await peer?.close();
      program?.child.kill('SIGTERM');
      await program?.ended;
      killStarted();
      folder.remove();
    });

    const call = async (tool: string, args?: Record<string, unknown>) => {
      const answer = await peer.call(tool, args);
      expect(answer.isError, answer.text).toBe(false);
      const value: unknown = JSON.parse(answer.text);
      expect(answer.text).toBe(JSON.stringify(value, null, 2));
      return value as Record<string, unknown>;
    };
    const names = async (pattern: string) => {
      const { resources } = await call('resources_list', { pattern });
      return ((resources ?? []) as { name: string }[]).map(({ name }) => name);
    };

    test('says who it is and what its tools may do', async () => {
      expect(peer.serverVersion).toMatchObject({ name: 'mcp-resources', version: '1.0.0' });
      const tools = await peer.tools();
      const destructive = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
      expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
        resources_add: destructive,
        resources_remove: destructive,
        resources_list: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      });
      expect(tools.find(({ name }) => name === 'resources_add')?.inputSchema).toMatchObject({
        properties: { name: { type: 'string' }, value: { type: 'integer' } },
        required: ['name', 'value'],
      });
    });

    test('adds, lists and removes', async () => {
      expect(await call('resources_list')).toEqual({ resources: null, count: 0 });
      const b = await call('resources_add', { name: 'server-b', value: 42 });
      expect(b).toEqual({
        id: expect.stringMatching(/^\d{19}$/u),
        name: 'server-b',
        value: 42,
        created_at: b.created_at,
        updated_at: b.created_at,
      });
      expect(b.created_at).toMatch(RFC3339_UTC);
      const a = await call('resources_add', { name: 'server-a', value: '-7' });
      const again = await call('resources_add', { name: 'server-b', value: Number.MAX_SAFE_INTEGER });
      const other = await call('resources_add', { name: 'Übung 1', value: 0 });
      expect(a.value).toBe(-7);
      expect(await call('resources_list')).toEqual({ resources: [a, b, again, other], count: 4 });

      expect(await names('r-')).toEqual(['server-a', 'server-b', 'server-b']);
      expect(await names('^server-[ab]$')).toEqual(['server-a', 'server-b', 'server-b']);
      expect(await names('SERVER')).toEqual([]);
      expect(await names('(?i)SERVER-A')).toEqual(['server-a']);
      expect(await names('^\\pL+ \\d$')).toEqual(['Übung 1']);
      expect(await names('')).toHaveLength(4);

      expect(await call('resources_remove', { id: '1' })).toEqual({ removed_count: 0, removed_ids: null });
      expect(await call('resources_remove', { id: a.id, pattern: '^Ü' })).toEqual({
        removed_count: 2,
        removed_ids: [a.id, other.id],
      });
      expect(await call('resources_remove', { id: b.id, pattern: 'b$' })).toEqual({
        removed_count: 2,
        removed_ids: [b.id, again.id],
      });
      expect(await call('resources_list', { pattern: '.' })).toEqual({ resources: null, count: 0 });
    });

    test('refuses what it cannot do, and changes nothing', async () => {
      const kept = await call('resources_add', { name: 'kept', value: 1 });
      for (const [tool, args, text] of ERRORS) {
        const answer = await peer.call(tool, args);
        expect(answer, JSON.stringify(args)).toEqual({
          text: typeof text === 'string' ? text : expect.stringMatching(text),
          isError: true,
        });
      }
      await expect(peer.call('resources_drop')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Unknown tool: resources_drop'),
      });
      expect(await call('resources_list')).toEqual({ resources: [kept], count: 1 });
    });
  });
});
