import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  // What is ours is taken from its sources, as everywhere.
  resolve: { conditions: ['stopgo-source', ...defaultClientConditions] },
  build: {
    target: ['chrome114', 'firefox115', 'safari16.4'],
    // An image in a style sheet would be an address that no content policy can tell from another.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
});
