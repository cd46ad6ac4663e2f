import { defineConfig } from 'vitest/config';

// Packages export their TypeScript under the condition `stopgo-source`, so that a test never waits for a build.
export default defineConfig({
  resolve: { conditions: ['stopgo-source'] },
  ssr: { resolve: { conditions: ['stopgo-source'] } },
  test: {
    include: [
      '{packages,services,mcp-servers}/*/test/**/*.test.ts',
      '{offline-model,cli}/test/**/*.test.ts',
      'tests/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
