import { describe, expect, test } from 'vitest';
import { endpoints } from '../src/docs/describe-api.ts';

const answers = endpoints.flatMap(({ method, path, responses }) =>
  Object.entries(responses).map(([status, answer]) => ({ name: `${method} ${path} ${status}`, status, ...answer })),
);

describe('every example is what its schema says', () => {
  test.each(endpoints.filter(({ request }) => request !== undefined))('request of $method $path', ({ request }) => {
    expect(request?.schema.safeParse(request.example).error?.issues).toBeUndefined();
  });

  const described = answers.filter(({ schema }) => schema !== undefined);
  test.each(described)('$name', ({ schema, example }) => {
    // What an example holds beside that would not be in an answer either.
    expect(schema?.safeParse(example).error?.issues).toBeUndefined();
  });
});

test('every answer that is no error has a schema, events, or no JSON', () => {
  const bare = answers.filter(
    ({ status, schema, content_type: type }) => schema === undefined && type === undefined && Number(status) < 400,
  );
  expect(bare.map(({ name }) => name)).toEqual([]);
});
