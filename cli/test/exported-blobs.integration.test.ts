import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobRefsToWire, conversationStream, fact, sha256Hex } from '@stopgo/core';
import { facts, store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { expect, onTestFinished, test } from 'vitest';
import { runCaptured } from '../src/run-captured.ts';
import { append, approvalId, conversationId, recordReport, runId } from './report-run.ts';

/** A data directory with a call whose result names a blob that was never there, and one of these bytes. */
async function recorded(bytes: Uint8Array) {
  const dataDir = mkdtempSync(join(tmpdir(), 'stopgo-export-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });
  const running = await startStore({ dataDir, log });
  const client = createInProcessClient(store.StoreService, running.service);
  await recordReport(client);
  const call = { runId, stepId: 'root/1[2]/0', callId: 'root/1[2]/0#1.0', tool: 'publish' };
  const stream = conversationStream(conversationId);
  const owner = { instance: 'orchestrator-1', epoch: 2 };
  await append(client, stream, 20, [
    fact('approvalResolved', { ...call, approvalId, decision: facts.Decision.APPROVED }),
    fact('runClaimed', { runId, owner }),
    fact('toolCallStarted', { ...call, attempt: 1, bridgeInstance: 'bridge-1', approvalId }),
  ]);
  const holder = { conversationId, runId, callId: call.callId };
  const { digest: kept } = await client.putBlob({ bytes: bytes, holder });
  const lost = sha256Hex('lost');
  const named = [lost, kept].map((digest) => ({ digest, mediaType: 'image/png', size: bytes.byteLength, name: '' }));
  await append(client, stream, 21, [
    fact('toolCallFinished', { ...call, attempt: 1, content: '[image]', blobs: blobRefsToWire(named) }),
  ]);
  await running.stop();
  return { dataDir, lost, kept };
}

test('a blob that is lost is left out of an export, which ends as an error that names it, and all else is there', async () => {
  const { dataDir, lost, kept } = await recorded(new Uint8Array([1, 2, 3]));
  const { code, output, errors } = await runCaptured(['export', conversationId, '--data-dir', dataDir]);
  expect({ code, errors }).toEqual({
    code: 1,
    errors: `stopgo: blob ${lost} is missing: its bytes are not in the document; \`stopgo verify\` tells what is lost\n`,
  });
  expect(JSON.parse(output)).toMatchObject({
    blobs: [
      { digest: lost, missing: true },
      { digest: kept, bytes_base64: 'AQID' },
    ],
  });
});

test('a blob with other bytes than those of its digest is left out of an export, which ends as an error that names it', async () => {
  const sound = Buffer.from('the only bytes of this kind in the file');
  const { dataDir, kept } = await recorded(sound);
  const file = join(dataDir, 'stopgo.db');
  const stored = readFileSync(file);
  const at = stored.indexOf(sound);
  expect(at).toBeGreaterThan(0);
  stored.write('THE', at);
  writeFileSync(file, stored);

  const { code, output, errors } = await runCaptured(['export', conversationId, '--data-dir', dataDir]);
  expect(code).toBe(1);
  expect(errors).toContain(`stopgo: blob ${kept} of conversation ${conversationId} is damaged: `);
  const { blobs, events } = JSON.parse(output);
  expect(blobs[1]).toEqual({ digest: kept, media_type: 'image/png', size: sound.byteLength, name: '', damaged: true });
  expect(events.length).toBeGreaterThan(0);
});
