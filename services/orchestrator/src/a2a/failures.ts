/** The agent certainly took nothing: it was never reached, or has refused. The text is told to users: no secrets in it. */
export class NotTaken extends Error {
  /** It could not be reached, or could not be talked to. */
  readonly isOutage: boolean;

  constructor(message: string, isOutage = false) {
    super(message);
    this.isOutage = isOutage;
  }
}

/** The agent wants a bearer token, or another one; it took nothing. */
export class TokenWanted extends Error {}

/** The agent has answered that it could not do what was asked. */
export class AgentFailed extends Error {}

/** The agent answers, and knows no task of that id. */
export class NoSuchTask extends Error {}
