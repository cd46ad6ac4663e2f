import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the built app, in every form that it is sent in. */
export type Asset = {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip?: Buffer;
  readonly brotli?: Buffer;
  /** Its name holds the digest of its content, so that it never changes. */
  readonly isHashed: boolean;
};

/** The built app: its page, and its files by path (`/assets/index-….js`). */
export type App = { readonly page: string; readonly files: ReadonlyMap<string, Asset> };

/** Where the app is built to. */
export const builtFolder = fileURLToPath(new URL('../dist/public', import.meta.url));

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json; charset=utf-8',
};
const pageName = 'index.html';

/** Reads the built app into memory; undefined while it is not built. */
export function loadApp(folder: string): App | undefined {
  if (!existsSync(join(folder, pageName))) return undefined;
  const files = new Map<string, Asset>();
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    const path = join(folder, name);
    const type = types[/\.(\w+)$/.exec(name)?.[1] ?? ''];
    if (type === undefined || name === pageName || !statSync(path).isFile()) continue;
    const url = `/${name.split(sep).join('/')}`;
    files.set(url, {
      ...{ type, plain: readFileSync(path), isHashed: url.startsWith('/assets/') },
      ...packed('gzip', `${path}.gz`),
      ...packed('brotli', `${path}.br`),
    });
  }
  return { page: readFileSync(join(folder, pageName), 'utf8'), files };
}

const packed = (form: 'gzip' | 'brotli', path: string) => (existsSync(path) ? { [form]: readFileSync(path) } : {});

/** The smallest form that a client takes, and what it is called. */
export function formOf(asset: Asset, acceptEncoding = ''): { readonly body: Buffer; readonly encoding?: string } {
  const takes = new Set(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((one) => one.trim())
      .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
      .map((one) => one.split(';')[0]?.trim()),
  );
  if (asset.brotli !== undefined && takes.has('br')) return { body: asset.brotli, encoding: 'br' };
  if (asset.gzip !== undefined && takes.has('gzip')) return { body: asset.gzip, encoding: 'gzip' };
  return { body: asset.plain };
}
