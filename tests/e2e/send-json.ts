/** A request with JSON, and the answer: its text, and what that says if it is JSON. */
export async function sendJson(
  url: URL,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
) {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON it is
  const json: any = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { status: answer.status, headers: answer.headers, text, json };
}
