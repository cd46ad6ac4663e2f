/** A folder of npx's cache. No `..`, and nothing that a shell would read otherwise: people paste it after `rm -rf`. */
const folder = /(?:\/\.?[\w@+-][\w.@+-]*)+\/_npx\/[0-9a-f]{8,64}(?![\w.-])/u;

/** What npm and Node say, in the same line as the folder, when an install of npx was cut off or two of them ran into each other. */
const signs = /\b(?:ENOTEMPTY|EEXIST)\b|Cannot find (?:module|package) |^npm (?:error|ERR!).*\bENOENT\b/u;

/** A module of a package is missing, and who wanted it is in the lines after it. A path would be a file of the server's own. */
const missing = /Cannot find module '(?![./])[^'\n]+'\s+Require stack:\s+- [^\n]*/u;

/** A file of npm's own cache that is not what it should be. */
const corrupted = /^npm (?:error|ERR!).*\bEINTEGRITY\b/mu;

/**
 * What is to be done about a broken cache of npx, if that is why a server ended; undefined if nothing shows it.
 *
 * @param output the server's error output, without secrets.
 */
export function npxCacheProblem(output: string): string | undefined {
  const told = [...output.split('\n').filter((line) => signs.test(line)), missing.exec(output)?.[0] ?? ''];
  const [path] = told.flatMap((text) => folder.exec(text)?.[0] ?? []);
  if (path !== undefined)
    return `npx's cache of this package is broken, as after an install that was cut off; remove it and start again: rm -rf ${path}`;
  if (corrupted.test(output)) return "npm's cache holds a broken file; start again after: npm cache clean --force";
  return undefined;
}
