/** Calls that somebody lets run without asking, for the rest of a conversation. */
export type StandingApproval = {
  readonly id: string;
  /** The approval that it was made from. */
  readonly approvalId: string;
  /** Calls of this tool of this server (of an agent: none), as it was defined then. */
  readonly server: string;
  readonly tool: string;
  readonly pin: string;
  /** Digest of the only call that it is for; absent: it is for all arguments. */
  readonly digest?: string;
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** A call as far as this goes. */
type LikeCall = { readonly server: string; readonly tool: string; readonly pin: string; readonly digest: string };

/** The standing approval that lets a call run; undefined if none does. */
export function standingFor(
  standing: readonly StandingApproval[],
  { server, tool, pin, digest }: LikeCall,
): StandingApproval | undefined {
  return standing.find(
    (one) =>
      one.server === server &&
      one.tool === tool &&
      one.pin === pin &&
      (one.digest === undefined || one.digest === digest),
  );
}
