import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openInBrowser } from '../src/start/open-in-browser.ts';

test.skipIf(process.platform === 'win32')('a browser is given its display, and nothing that is secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-browser-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const told = join(folder, 'told');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\n{ echo "$1"; env; } > ${told}.part\nmv ${told}.part ${told}\n`);
  chmodSync(join(folder, 'xdg-open'), 0o700);
  openInBrowser('http://127.0.0.1:3000', 'linux', {
    PATH: `${folder}:/usr/bin:/bin`,
    DISPLAY: ':7',
    XDG_RUNTIME_DIR: '/run/user/7',
    GEMINI_API_KEY: 'secret-key',
    STOPGO_INTERNAL_TOKEN: 'secret-token',
  });
  await expect.poll(() => existsSync(told)).toBe(true);
  const text = readFileSync(told, 'utf8');
  expect(text).toContain('http://127.0.0.1:3000\n');
  expect(text).toContain('DISPLAY=:7\n');
  expect(text).toContain('XDG_RUNTIME_DIR=/run/user/7\n');
  expect(text).not.toContain('secret');
});
