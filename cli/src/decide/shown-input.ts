/** A question of a tool server as the gateway shows it. */
export type ShownInput = {
  readonly id: string;
  readonly conversation_id: string;
  readonly server: string;
  readonly tool: string;
  readonly message: string;
  readonly requested_schema?: unknown;
  readonly url?: string;
  readonly expires_at?: string;
};
