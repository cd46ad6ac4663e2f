import type { Dialect } from './dialect.ts';
import { ExtensionSupportRequiredError } from './protocol.ts';

/** The extensions that an agent has, by their URIs. */
export type Extensions = {
  readonly declared: readonly string[];
  /** A peer that does not name these is not served; they are declared too. */
  readonly required: readonly string[];
};

/** The header that names extensions, in requests and answers. */
export const extensionsHeader = (dialect: Dialect): string =>
  dialect === '1.0' ? 'A2A-Extensions' : 'X-A2A-Extensions';

/** The extensions that a peer names, under the header's name of either version. */
export const extensionsNamed = (header: (name: string) => string | undefined): readonly string[] =>
  [header('a2a-extensions'), header('x-a2a-extensions')]
    .flatMap((value = '') => value.split(','))
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '');

/** Those of the named that the agent has. */
export const activatedOf = (extensions: Extensions, named: readonly string[]): readonly string[] =>
  extensions.declared.filter((uri) => named.includes(uri));

/** @throws A2AError for a peer that does not name what is required. */
export function requireNamed({ required }: Extensions, named: readonly string[]): void {
  const missing = required.filter((uri) => !named.includes(uri));
  if (missing.length > 0)
    throw new ExtensionSupportRequiredError(
      `this agent requires the extension ${missing.join(', ')}: name it in the header A2A-Extensions`,
    );
}
