/** A question of a tool server, or of an agent, as the gateway shows it. */
export type ShownInput = {
  readonly id: string;
  readonly conversation_id: string;
  /** Absent: an agent of the platform asks. */
  readonly server?: string;
  readonly agent?: string;
  readonly tool: string;
  readonly message: string;
  readonly requested_schema?: unknown;
  readonly url?: string;
  readonly expires_at?: string;
};
