/** How users connect accounts. Id and secret are never here, only the variables that hold them. */
export type AccountLogin = {
  /** Absent: this platform registers itself as a client. */
  readonly idVariable?: string;
  /** Absent: a public client, which PKCE alone protects. */
  readonly secretVariable?: string;
  /** The only authorization server that is taken; absent: the one that the tool server names. */
  readonly issuer?: string;
  /** What is asked for; absent: what the tool server names. */
  readonly scope?: string;
};
