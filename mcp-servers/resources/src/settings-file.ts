import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { checkFileSettings, type FileSettings } from './settings.ts';
import { reasonOf, StartupError } from './startup-error.ts';

/** Reads a YAML settings file. @throws StartupError when it cannot be read, parsed, or holds anything unknown. */
export async function readSettingsFile(path: string): Promise<FileSettings> {
  return checkFileSettings(parseYaml(await readText(path)));
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
