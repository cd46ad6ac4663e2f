/** What our tests use of it: it comes without types. */
declare module 'oidc-provider' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Grant = {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  };
  export class Provider extends EventEmitter {
    constructor(issuer: string, configuration: object);
    readonly Grant: {
      new (of: { readonly clientId: string; readonly accountId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    callback(): (req: IncomingMessage, res: ServerResponse) => unknown;
    readonly AccessToken: {
      find(
        token: string,
      ): Promise<{ readonly aud: string; readonly accountId: string; readonly isExpired: boolean } | undefined>;
    };
    interactionDetails(
      req: IncomingMessage,
      res: ServerResponse,
    ): Promise<{ readonly prompt: { readonly name: string } }>;
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object, options?: object): Promise<void>;
  }
}
