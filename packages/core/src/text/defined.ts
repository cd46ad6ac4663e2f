import { sha256Hex } from './digest.ts';
import { canonicalJson, type Json } from './json.ts';

/** A definition as it is recorded: canonical JSON and its digest. */
export type Defined = { readonly digest: string; readonly definitionJson: string };

/** The recorded form of a definition. */
export function defined(value: Json): Defined {
  const definitionJson = canonicalJson(value);
  return { digest: sha256Hex(definitionJson), definitionJson };
}
