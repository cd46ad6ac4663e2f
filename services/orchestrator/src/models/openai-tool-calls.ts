import { isObject } from './json.ts';

/** A tool call of a stream, as far as it has come. */
export type JoinedCall = {
  readonly index: number | undefined;
  /** Empty if the provider gave none. */
  id: string;
  /** As the provider knows the tool. */
  name: string;
  argumentsText: string;
  /** The arguments as the SDK has parsed them, if the provider gives them as an object; then they come in one fragment. */
  parsed?: Record<string, unknown>;
  /** What else stood in the call and belongs to it, such as a signature. */
  extra: Record<string, unknown>;
};

/**
 * Adds a fragment of a stream's `tool_calls` to the calls so far. A fragment belongs to the last call of its index. Some
 * providers number every call 0, or none: there a name with an id of its own, or where nothing is numbered a name alone,
 * begins the next call. Some repeat id and name in every fragment, and some give the arguments as an object.
 */
export function addFragment(calls: JoinedCall[], fragment: unknown): void {
  if (!isObject(fragment)) return;
  const { index: given, id: givenId, type: _, function: inner, ...extra } = fragment;
  const called = isObject(inner) ? inner : {};
  const id = typeof givenId === 'string' ? givenId : '';
  const name = typeof called.name === 'string' ? called.name : '';
  const index = typeof given === 'number' ? given : undefined;
  const known = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
  let call = known;
  if (!call || (known && begins(known, id, name, index === undefined))) {
    call = { index, id: '', name: '', argumentsText: '', extra: {} };
    calls.push(call);
  }
  if (call.id === '') call.id = id;
  if (call.name === '') call.name = name;
  const { arguments: text } = called;
  if (typeof text === 'string') call.argumentsText += text;
  else if (isObject(text)) {
    call.argumentsText += JSON.stringify(text);
    call.parsed = text;
  }
  Object.assign(call.extra, extra);
}

function begins(known: JoinedCall, id: string, name: string, unnumbered: boolean): boolean {
  if (name === '' || known.name === '') return false;
  if (id !== '' && known.id !== '') return id !== known.id;
  return unnumbered && id === '' && known.id === '';
}

/** The calls in the order in which the provider numbered them. */
export function inOrder(calls: readonly JoinedCall[]): JoinedCall[] {
  return calls.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
}
