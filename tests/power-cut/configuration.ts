import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a configuration into a new folder below one; `more` is added at its top level. Gives the path of the file. */
export function writeConfiguration(folder: string, dataDir: string, more: Readonly<Record<string, unknown>>): string {
  const file = join(mkdtempSync(join(folder, 'configuration-')), 'agent.yaml');
  const configuration = {
    name: 'power-cut',
    prompt: 'You look after resources.',
    host: '127.0.0.1',
    port: 0,
    data_dir: dataDir,
    ...more,
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}
