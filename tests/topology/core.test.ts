import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, type Repository, readRepository, sources, withFile, withoutComments } from './repository.ts';

const CORE = 'packages/core/src/';

/** All that the core may import beside its own files. */
const ALLOWED_IMPORTS = [/^@stopgo\/proto$/, /^@bufbuild\/(cel|re2)$/, /^@bufbuild\/protobuf(\/|$)/, /^node:crypto$/];

/** What would make the same events lead to different decisions. */
const UNREPEATABLE = {
  'Math.random': /\bMath\s*\.\s*random\b/,
  'random bytes': /\b(randomUUID|randomBytes|randomInt|randomFill\w*|getRandomValues|webcrypto|generateKey\w*)\b/,
  'a clock': /\b(Date\s*\.\s*now|new\s+Date|performance\s*\.|process\s*\.\s*hrtime)\b/,
  'a timer': /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
  'the outside': /\b(fetch\s*\(|WebSocket\b|process\s*\.|globalThis\b|require\s*\()/,
};

function foreignImports(repository: Repository): string[] {
  return sources(repository, CORE).flatMap(([path, text]) =>
    importsOf(text)
      .filter((specifier) => {
        if (specifier.startsWith('.')) return !posix.join(posix.dirname(path), specifier).startsWith(CORE);
        return !ALLOWED_IMPORTS.some((allowed) => allowed.test(specifier));
      })
      .map((specifier) => `${path} imports ${specifier}`),
  );
}

function unrepeatable(repository: Repository): string[] {
  return sources(repository, CORE).flatMap(([path, text]) =>
    Object.entries(UNREPEATABLE)
      .filter(([, shape]) => shape.test(withoutComments(text)))
      .map(([what]) => `${path} uses ${what}`),
  );
}

const repository = readRepository();

describe('the core is deterministic', () => {
  test('there is a core to look at', () => {
    expect(sources(repository, CORE).length).toBeGreaterThan(1);
  });
  test('it imports nothing that does I/O', () => {
    expect(foreignImports(repository)).toEqual([]);
  });
  test('it uses no clock, no randomness, no timer and no environment', () => {
    expect(unrepeatable(repository)).toEqual([]);
  });
});

describe('each rule sees its mutant', () => {
  const mutant = (text: string) => withFile(repository, `${CORE}deep/mutant.ts`, text);

  test.each(['node:fs', 'node:net', 'node:timers', 'express', '@stopgo/runtime', '../../../rpc/src/index.ts'])(
    'an import of %s',
    (specifier) => {
      expect(foreignImports(mutant(`import { x } from '${specifier}';`))).toEqual([
        `${CORE}deep/mutant.ts imports ${specifier}`,
      ]);
    },
  );

  test.each([
    ['Math.random', 'const x = Math.random();'],
    ['random bytes', "import { randomUUID } from 'node:crypto';"],
    ['a clock', 'const now = Date.now();'],
    ['a clock', 'const now = new Date();'],
    ['a timer', 'setTimeout(act, 1);'],
    ['the outside', "const key = process.env.KEY ?? '';"],
    ['the outside', 'await fetch(url);'],
  ])('%s: %s', (what, text) => {
    expect(unrepeatable(mutant(text))).toEqual([`${CORE}deep/mutant.ts uses ${what}`]);
  });

  test('but not a comment about one', () => {
    expect(unrepeatable(mutant('// never Date.now() here\n/* nor Math.random() */\n'))).toEqual([]);
  });
});
