/** A question of a tool server, or of an agent, as the gateway shows it. */
export type ShownInput = {
  readonly id: string;
  readonly conversation_id: string;
  /** Absent: an agent of the platform asks. */
  readonly server?: string;
  readonly agent?: string;
  /** `form`: values; `url`: an address is to be opened; `file`. */
  readonly mode?: string;
  readonly tool: string;
  readonly message: string;
  readonly requested_schema?: unknown;
  readonly url?: string;
  readonly expires_at?: string;
};
