import type { Asking, Connection } from './connection.ts';
import type { Operations } from './gen/description.ts';

/** What is asked for: a method and a path of the description, such as `GET /conversations/{id}`. */
export type OperationName = keyof Operations;

type Of<Name extends OperationName> = Operations[Name];
type Path<Name extends OperationName> = Of<Name> extends { readonly path: infer Values } ? Values : never;
type Query<Name extends OperationName> = Of<Name> extends { readonly query?: infer Values } ? Values : never;

/** What comes of it. */
export type AnswerOf<Name extends OperationName> = Of<Name>['answer'];
/** What goes into it beside its path. */
export type BodyOf<Name extends OperationName> = Of<Name> extends { readonly body?: infer Body } ? Body : never;
export type QueryOf<Name extends OperationName> = NonNullable<Query<Name>>;

/** All that goes into it. */
export type InputOf<Name extends OperationName> = Asking &
  ([Path<Name>] extends [never] ? unknown : { readonly path: Path<Name> }) &
  ([Query<Name>] extends [never] ? unknown : { readonly query?: Query<Name> }) &
  (Of<Name> extends { readonly body: infer Body }
    ? { readonly body: Body }
    : Of<Name> extends { readonly body?: infer Body }
      ? { readonly body?: Body }
      : unknown);

type Input = Asking & {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
};

/** Does an operation of the description. @throws as `Connection.exchange`. */
export function call<Name extends OperationName>(
  connection: Connection,
  name: Name,
  input: InputOf<Name>,
): Promise<AnswerOf<Name>> {
  const { path = {}, query, ...asked } = input as Input;
  const [method = '', template = ''] = name.split(' ');
  return connection.ask(pathOf(template, path, query), { method, ...asked });
}

/** The path with its values, and what is asked behind the `?`; what is undefined is left out. */
export function pathOf(template: string, values: Readonly<Record<string, string>>, query: object = {}): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`${template} needs a value for ${name}`);
    // The names of agents hold slashes.
    const isAgent = name === 'name' && template.startsWith('/agents/');
    return isAgent ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? path : `${path}?${text}`;
}

type Page = { readonly next_cursor?: string };

/** Every item of a list, page after page. */
export async function* everyItem<Answer extends Page, Item>(
  page: (cursor: { readonly cursor?: string }) => Promise<Answer>,
  items: (answer: Answer) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const answer = await page(cursor === undefined ? {} : { cursor });
    yield* items(answer);
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
}
