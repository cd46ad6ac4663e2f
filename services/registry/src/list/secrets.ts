import { invalidArgument, type ListedRepository, type RepositoryAuth } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';
import type { Sealer } from '@stopgo/security';

/** What is sealed of a repository. */
type Kind = 'credentials' | 'webhook_secret';

const tokenCharactersMax = 4_096;
const keyCharactersMax = 16_384;
const webhookCharactersMin = 16;
const webhookCharactersMax = 256;
const control = /\p{Cc}/u;
const privateKey = /^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\s\S]+\n-----END [A-Z ]*PRIVATE KEY-----\n$/u;

/** A secret for one repository at one address: nobody can have it sent to another. */
export const placeOf = ({ name, gitUrl }: { readonly name: string; readonly gitUrl: string }, kind: Kind) => [
  'repository',
  name,
  gitUrl,
  kind,
];

/** The secret, if this registry has the key that it was sealed with. */
export function opened(listed: ListedRepository, kind: Kind, sealer: Sealer | undefined): string | undefined {
  const sealed = kind === 'credentials' ? listed.sealedCredentials : listed.sealedWebhookSecret;
  const { name, source } = listed;
  return sealed.length === 0 ? undefined : sealer?.open(sealed, placeOf({ name, gitUrl: source.gitUrl }, kind));
}

/** A token or private key as it is sealed. @throws DomainError `invalid_argument`; it does not repeat it. */
export function checkCredentials(type: RepositoryAuth, secret: Secret | undefined): string | undefined {
  const text = secret?.reveal().trim() ?? '';
  switch (type) {
    case 'none':
      if (text !== '') throw invalidArgument('auth_token and ssh_key go with auth_type token or ssh-key');
      return undefined;
    case 'token':
      if (text === '' || text.length > tokenCharactersMax || control.test(text))
        throw invalidArgument(`auth_token must be 1 to ${tokenCharactersMax} characters on one line`);
      return text;
    case 'ssh-key': {
      const key = `${text.replaceAll('\r\n', '\n')}\n`;
      if (key.length > keyCharactersMax || !privateKey.test(key))
        throw invalidArgument(
          'ssh_key must be a private key without a passphrase, from its BEGIN line to its END line',
        );
      return key;
    }
  }
}

/** The secret of webhooks as it is sealed. @throws DomainError `invalid_argument`; it does not repeat it. */
export function checkWebhookSecret(secret: Secret): string {
  const text = secret.reveal().trim();
  if (text.length < webhookCharactersMin || text.length > webhookCharactersMax || control.test(text))
    throw invalidArgument(
      `webhook_secret must be ${webhookCharactersMin} to ${webhookCharactersMax} characters on one line`,
    );
  return text;
}
