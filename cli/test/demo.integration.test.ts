import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { firstSteps } from '../src/start/demo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'stopgo-first-steps-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const address = 'http://127.0.0.1:8080';
const auth = { newUsers: 'admin' } as const;
const message = `-d '{"message":"create a server my-test with value 42"}'`;

describe('what is pasted first', () => {
  test('needs no key where nobody signs in', () => {
    const steps = firstSteps(address, {}, { dataDir });
    expect(steps.split('\n').at(-1)).toBe(`  curl -s ${address}/conversations ${message}`);
    expect(steps).not.toContain('KEY');
  });

  test('takes the key from the environment where people sign in', () => {
    const steps = firstSteps(address, {}, { auth, dataDir });
    expect(steps.split('\n').at(-1)).toBe(
      `  curl -s ${address}/conversations -H "X-API-Key: $STOPGO_API_KEY" ${message}`,
    );
    expect(steps).not.toContain('/users');
  });

  test('says how the first user comes by one, and never the key itself', () => {
    writeFileSync(join(dataDir, 'setup-key'), 'sgo_secret\n');
    const steps = firstSteps(address, {}, { auth, dataDir });
    expect(steps).toContain(`  curl -s ${address}/users -H "X-API-Key: $(cat ${dataDir}/setup-key)" -d '{"email":`);
    expect(steps).toContain('$STOPGO_API_KEY');
    expect(steps).not.toContain('sgo_secret');
  });
});
