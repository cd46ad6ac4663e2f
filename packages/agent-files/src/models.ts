/** The model that is asked, and those that are asked in this order where the one before could not answer. */
export type AskedModels = { readonly model: string; readonly fallbacks?: readonly string[] | undefined };

/** What a file says of models and of providers. */
type Named = {
  readonly model?: string | undefined;
  readonly models?: Readonly<Record<string, string>> | undefined;
  readonly providers: readonly string[];
};

/**
 * Each provider of the file with the model that it is asked for: that which `models` has for it, and for the first one else `model`.
 * Providers without a model are left out. Without any it is the model of the file, or the usual one.
 */
export function modelsOf(file: Named, usual: string): AskedModels {
  const [model = file.model ?? usual, ...fallbacks] = file.providers.flatMap((provider, index) => {
    const own = modelAt(file, provider, index);
    return own === undefined ? [] : [`${provider}:${own}`];
  });
  return { model, ...(fallbacks.length === 0 ? {} : { fallbacks }) };
}

/** The providers of a file that have no model, so that they are not asked. */
export function withoutModel(file: Named): readonly string[] {
  return file.providers.filter((provider, index) => modelAt(file, provider, index) === undefined);
}

function modelAt({ model, models = {} }: Named, provider: string, index: number): string | undefined {
  const own = Object.hasOwn(models, provider) ? models[provider] : index === 0 ? model : undefined;
  return own?.startsWith(`${provider}:`) === true ? own.slice(provider.length + 1) : own;
}
