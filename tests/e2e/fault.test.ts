import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { startOneProcess } from '@stopgo/cli';
import { DomainError } from '@stopgo/core';
import { startOfflineModel } from '@stopgo/offline-model';
import { facts } from '@stopgo/proto';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { client, until } from './http.ts';

test('a run that breaks its driver again and again is ended, and the conversation stays usable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-fault-'));
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0 });
  const yaml = `{host: 127.0.0.1, port: 0, prompt: Help., heartbeat_ttl: 1s, data_dir: ${JSON.stringify(folder)}}`;
  let refusals = 0;
  const platform = await startOneProcess({
    config: parseAgentConfig(yaml, 'fault.yaml').config,
    env: {},
    logger: createLogger({ level: 'error', format: 'text', destination: { write: () => true } }),
    offlineModel: offline.url,
    version: 'test',
    intercept: {
      store: (store) => ({
        ...store,
        append: (request, options) => {
          const kinds = (request.events ?? []).map(
            (event) => fromBinary(facts.PayloadSchema, event.payload ?? new Uint8Array()).fact.case,
          );
          if (refusals >= 5 || !kinds.includes('modelResponded')) return store.append(request, options);
          refusals += 1;
          return Promise.reject(new DomainError('invalid_argument', 'a fault of the platform'));
        },
      }),
    },
  });
  try {
    const http = client(platform.address);
    const created = await http.post('/conversations', { message: 'hello' }, { prefer: 'respond-async' });
    const { id } = created.body.conversation;
    const failed = await until('the run has failed', async () => {
      const { conversation } = (await http.get(`/conversations/${id}`)).body;
      return conversation.run?.status === 'failed' ? conversation : undefined;
    });
    expect(refusals).toBe(5);
    expect(failed.messages.at(-1)?.content).toContain('could not go on with it');
    const next = await http.post(`/conversations/${id}/messages`, { message: 'hello again' });
    expect(next.body.conversation.run?.status).toBe('completed');
  } finally {
    await platform.stop();
    await offline.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
