// What is measured beside each other in the same run: the same client, model and tool server for each.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const rowNames = ['bare', 'process', 'process-50', 'services'] as const;
export type RowName = (typeof rowNames)[number];

/** What a row is called where people read it. */
export const rowTitles: Readonly<Record<RowName, string>> = {
  bare: 'bare: nothing kept',
  process: 'one process',
  'process-50': 'one process, `concurrency: 50`',
  services: 'services over NATS',
};

/** Rows that are measured, and in words why others are not. */
export type Rows = { readonly rows: readonly RowName[]; readonly leftOut: readonly string[] };

/**
 * The rows that a list like `bare,process` names, all without one. The services are left out where there is no nats-server.
 *
 * @throws Error in one line for a name that is no row.
 */
export function rowsOf(given: string | undefined, env: Readonly<Record<string, string | undefined>>): Rows {
  const names = given?.split(',') ?? rowNames;
  const rows = names.map((name) => {
    const row = rowNames.find((one) => one === name);
    if (row === undefined) throw new Error(`--rows takes a list of ${rowNames.join(', ')}, not "${name}"`);
    return row;
  });
  if (!rows.includes('services') || hasNatsServer(env)) return { rows, leftOut: [] };
  const why = `${rowTitles.services}: left out, since there is no nats-server on the PATH or in STOPGO_NATS_SERVER`;
  return { rows: rows.filter((row) => row !== 'services'), leftOut: [why] };
}

function hasNatsServer({ STOPGO_NATS_SERVER: named, PATH: path = '' }: Readonly<Record<string, string | undefined>>) {
  const places = named === undefined ? path.split(delimiter).map((folder) => join(folder, 'nats-server')) : [named];
  return places.some(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
