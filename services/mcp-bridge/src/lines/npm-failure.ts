/** A name that npm takes for a package, and nothing else: it is repeated in an error. */
const packageName = String.raw`(?:@[a-z0-9~-][\w.~-]*/)?[a-z0-9~-][\w.~-]*`;

/** `404  'a@*' is not in this registry.`, and what other registries say in its place. */
const missingPackage = new RegExp(
  String.raw`^npm (?:error|ERR!) 404\s.*'(${packageName})@[^']*' (?:is not in|could not be found)`,
  'imu',
);

/** The same where only the address tells: `404 Not Found - GET https://…/@scope%2fname`. */
const missingAddress =
  /^npm (?:error|ERR!) 404 Not Found - GET https?:\/\/[^/\s]+\/(?:.*\/)?(@[\w.~-]+%2f[\w.~-]+|[\w.~-]+)(?:\s|$)/imu;

const missingVersion = new RegExp(
  String.raw`^npm (?:error|ERR!) notarget No matching version found for (${packageName})@(\S+?)\.?\s*$`,
  'imu',
);

/** Codes with which npm says that it could not ask. */
const unreachable =
  /^npm (?:error|ERR!) code (ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/mu;

const refused = /^npm (?:error|ERR!) code (E40[13]|ENEEDAUTH)\b/mu;

const notFound = /^npm (?:error|ERR!) code E40[4]\b/mu;

/** Why a server that npx was to install did not start. */
export type InstallProblem = {
  /** What happened, and what to do. */
  readonly text: string;
  /** True if it says all that the server's output says. */
  readonly isWhole: boolean;
};

/**
 * What npm says in its error output of an install that failed; undefined if nothing shows it.
 *
 * @param output the server's error output, without secrets.
 */
export function installProblem(output: string): InstallProblem | undefined {
  const cache = npxCacheProblem(output);
  if (cache !== undefined) return { text: cache, isWhole: false };
  const text = registryProblem(output);
  return text === undefined ? undefined : { text, isWhole: true };
}

function registryProblem(output: string): string | undefined {
  if (notFound.test(output)) {
    const name = missingPackage.exec(output)?.[1] ?? missingAddress.exec(output)?.[1]?.replace(/%2f/iu, '/');
    const what = name === undefined ? 'has no package of that name' : `has no package "${name}"`;
    return `the npm registry ${what}; is it spelled right?`;
  }
  const [, name, version] = missingVersion.exec(output) ?? [];
  if (name !== undefined)
    return `the npm package "${name}" has no version ${version}; \`npm view ${name} versions\` lists those that it has`;
  if (/^npm (?:error|ERR!) could not determine executable to run/mu.test(output))
    return (
      'the npm package has no program of its own name, or several; is it a server? If so, name the program: ' +
      'args: [-y, --package, PACKAGE, PROGRAM]'
    );
  const code = unreachable.exec(output)?.[1];
  if (code !== undefined) return `npm cannot reach its registry (${code}); is this machine online?`;
  const refusal = refused.exec(output)?.[1];
  return refusal === undefined
    ? undefined
    : `the npm registry refuses the package (${refusal}); a private one needs the credentials of its registry in .npmrc`;
}

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
