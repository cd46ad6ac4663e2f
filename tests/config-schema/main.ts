import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, schemaFile, schemaText } from './schema-text.ts';

// `npm run config-schema`: writes the JSON Schema of the configuration; with --check it only says whether it is the one that is there.
const text = schemaText();
const path = join(root, schemaFile);
if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
  console.log(`${schemaFile} is written`);
} else if (readFileSync(path, 'utf8') !== text) {
  console.log(`${schemaFile} is not what the configuration is now; make it anew with: npm run config-schema`);
  process.exitCode = 1;
}
