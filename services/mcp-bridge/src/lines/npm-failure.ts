import { npxCacheProblem } from './npx-cache.ts';

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
