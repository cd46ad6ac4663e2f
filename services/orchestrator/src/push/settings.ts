import { invalidArgument, uuidFrom, webhookIdPrefix } from '@stopgo/core';
import type { orchestrator } from '@stopgo/proto';
import { isLocalName, isMetadataName, isPublicAddress, literalAddress, placeOf } from '@stopgo/security';
import { configIdCharactersMax, schemeCharactersMax, secretCharactersMax, urlCharactersMax } from './bounds.ts';
import type { PushSecrets } from './sealed.ts';

/** Settings that may be used. */
export type CheckedSettings = {
  readonly configId: string;
  readonly url: string;
  readonly protocolVersion: string;
  readonly scheme: string;
  readonly secrets: PushSecrets;
};

/** Settings as they come in. */
export type Settings = Omit<orchestrator.PushSettings, '$typeName' | '$unknown'>;

type Rules = { readonly allowPrivate: boolean };

/** @throws DomainError `invalid_argument` in one line; it repeats neither the address nor a secret. */
export function checkSettings(settings: Settings, { allowPrivate }: Rules): CheckedSettings {
  const { configId, token, scheme, credentials, protocolVersion } = settings;
  if (configId.length > configIdCharactersMax || !isPlain(configId))
    throw invalidArgument(`the id of a push config has at most ${configIdCharactersMax} printable characters`);
  if (configId.startsWith(webhookIdPrefix))
    throw invalidArgument(`the id of a push config must not begin with ${webhookIdPrefix}, as those of webhooks do`);
  for (const [name, value] of Object.entries({ token, credentials }))
    if (value.length > secretCharactersMax || !isPlain(value))
      throw invalidArgument(
        `the ${name} of a push config has at most ${secretCharactersMax} printable ASCII characters`,
      );
  if (scheme !== '' && !/^[\w!#$%&'*+.^`|~-]+$/.test(scheme))
    throw invalidArgument('the authentication scheme of a push config is one word, for example Bearer');
  if (scheme.length > schemeCharactersMax)
    throw invalidArgument(`the authentication scheme of a push config has at most ${schemeCharactersMax} characters`);
  if (credentials !== '' && scheme === '')
    throw invalidArgument('the credentials of a push config need an authentication scheme, for example Bearer');
  return {
    configId,
    url: checkUrl(settings.url, allowPrivate),
    protocolVersion: protocolVersion === '0.3' ? '0.3' : '1.0',
    scheme: credentials === '' ? '' : scheme,
    secrets: { token, credentials },
  };
}

/** The id of a config: its own, else one that is the same for the same address. */
export const configIdOf = ({ configId, url }: CheckedSettings, conversationId: string): string =>
  configId === '' ? uuidFrom('push', conversationId, url) : configId;

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

function checkUrl(text: string, allowPrivate: boolean): string {
  if (text === '') throw invalidArgument('the url of a push config is missing');
  if (text.length > urlCharactersMax)
    throw invalidArgument(`the url of a push config has at most ${urlCharactersMax} characters`);
  if (!URL.canParse(text)) throw invalidArgument('the url of a push config is no address; use https://host/path');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate))
    throw invalidArgument(
      'the url of a push config must begin with https://; http:// is for addresses of your own network, with push.allow_private',
    );
  if (url.username !== '' || url.password !== '')
    throw invalidArgument('the url of a push config holds a user or password; give credentials as authentication');
  const literal = literalAddress(url.hostname);
  if (literal === undefined ? isMetadataName(url.hostname) : placeOf(literal) === 'forbidden')
    throw invalidArgument(
      'the url of a push config is link-local, reserved, or of the metadata service of a cloud: such addresses are never told',
    );
  const isOutside = literal === undefined ? !isLocalName(url.hostname) : isPublicAddress(literal);
  if (!isOutside && !allowPrivate)
    throw invalidArgument(
      'the url of a push config is not of the public network; set push.allow_private if addresses of your own network may be told',
    );
  if (literal !== undefined && placeOf(literal) === 'public' && url.protocol !== 'https:')
    throw invalidArgument('the url of a push config must begin with https://: the address is of the public network');
  url.hash = '';
  return url.href;
}
