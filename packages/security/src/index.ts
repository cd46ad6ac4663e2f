/** The rules of who is reached, who may call, and what is kept secret: each is written here, once. It needs nothing but Node. */

export {
  type AddressPlace,
  isLocalName,
  isMetadataName,
  isPublicAddress,
  literalAddress,
  placeOf,
} from './addresses.ts';
export { type ConnectionFailure, connectionFailure } from './connection-failure.ts';
export { isSecretName, withoutCredentials } from './credential-shapes.ts';
export { type GitAddress, gitAddress } from './git-address.ts';
export { type HostRuleOptions, hostRule } from './host-rule.ts';
export { isLoopback } from './loopback.ts';
export { Sealer } from './sealer.ts';
export {
  answeredSecretCharactersMin,
  type HiddenPieces,
  type SecretFilter,
  type SecretFilterOptions,
  secretFilter,
  secretMark,
} from './secret-filter.ts';
export { isSecretArgument } from './secret-words.ts';
export { shownUrl } from './shown-url.ts';
export { carriesTokenInClear, mayCarryToken } from './token-targets.ts';
