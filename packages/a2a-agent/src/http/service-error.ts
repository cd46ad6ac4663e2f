/** What A2A has no error for: a service is away, or we are at fault. `status` and `headers` are for HTTP. */
export class ServiceError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    text: string,
    { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  ) {
    super(text);
    this.status = status;
    this.headers = headers;
  }
}
