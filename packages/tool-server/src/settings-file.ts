import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { reasonOf, StartupError } from './startup-error.ts';

/** The content of a YAML settings file, unchecked. @throws StartupError when it cannot be read or parsed. */
export async function readSettingsFile(path: string): Promise<unknown> {
  return parseYaml(await readText(path));
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StartupError(`failed to read config file: ${reasonOf(thrown)}`);
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (thrown) {
    throw new StartupError(`failed to parse config file: ${reasonOf(thrown)}`);
  }
}
