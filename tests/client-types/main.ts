import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { typesFile, typesText } from './types-text.ts';

// `npm run client-types`: writes the types of the client; with --check it only says whether they are those that are there.
const path = fileURLToPath(new URL(`../../${typesFile}`, import.meta.url));
const text = typesText();
if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
  console.log(`${typesFile} is written`);
} else if (readFileSync(path, 'utf8') !== text) {
  console.log(`${typesFile} is not what the description of the API is now; make it anew with: npm run generate`);
  process.exitCode = 1;
}
