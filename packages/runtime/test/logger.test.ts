import { describe, expect, test } from 'vitest';
import { createLogger, createRedactor, describeError, logRequest } from '../src/index.ts';

const at = new Date(2026, 1, 3, 15, 4, 5);

function logInto(format: 'text' | 'json', level: 'debug' | 'info' = 'info') {
  const lines: string[] = [];
  const redactor = createRedactor();
  const destination = { write: (line: string) => lines.push(line) };
  return { lines, redactor, logger: createLogger({ level, format, destination, redactor, now: () => at }) };
}

describe('the text form', () => {
  test('a request is one line in the form of the contract, then level and conversation', () => {
    const { lines, logger } = logInto('text');
    const entry = { durationMs: 1.23, method: 'POST', path: '/conversations?key=abcdef', sid: 'a1b2c3d4' };
    logRequest(logger, { status: 200, ...entry });
    logRequest(logger, { status: 503, ...entry, conversation: 'c-1' });
    expect(lines).toEqual([
      '15:04:05 | 200 | 1.2ms | POST | /conversations | sid=a1b2c3d4 | INFO\n',
      '15:04:05 | 503 | 1.2ms | POST | /conversations | sid=a1b2c3d4 | ERROR | conversation=c-1\n',
    ]);
  });

  test('other lines carry level, message and the fields of all parents', () => {
    const { lines, logger } = logInto('text');
    logger
      .child({ service: 'store' })
      .child({ shard: 2 })
      .warn('slow append', { ms: 12, stream: undefined, ids: [1] });
    expect(lines).toEqual(['15:04:05 | WARN | slow append | service=store | shard=2 | ms=12 | ids=[1]\n']);
  });

  test('nothing that is logged can forge a line or a column', () => {
    const { lines, logger } = logInto('text');
    logger.info('a\nb\u001b[2J\u202e\u2028\u0085', { 'x\ny': 'c\r\nd | 200 | e' });
    logRequest(logger, { status: 404, durationMs: 0, method: 'GET', path: '/a\n15:04:05 | 200', sid: 'x' });
    expect(lines).toEqual([
      '15:04:05 | INFO | a\\nb\\u001b[2J\\u202e\\u2028\\u0085 | x\\ny=c\\r\\nd ¦ 200 ¦ e\n',
      '15:04:05 | 404 | 0.0ms | GET | /a\\n15:04:05 ¦ 200 | sid=x | INFO\n',
    ]);
  });
});

describe('the json form', () => {
  test('one object per line, whatever is in the fields', () => {
    const { lines, logger } = logInto('json');
    const cyclic: Record<string, unknown> = { big: 1n };
    cyclic.self = cyclic;
    logger.info('hello\u2028\u202e', { cyclic, at, error: new Error('boom', { cause: new Error('below') }) });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      time: at.toISOString(),
      msg: 'hello\u2028\u202e',
      cyclic: { big: '1', self: { big: '1' } },
      at: at.toISOString(),
      error: { type: 'Error', message: 'boom', cause: { message: 'below' } },
    });
  });

  test('lines below the level are dropped', () => {
    const { lines, logger } = logInto('json');
    logger.debug('quiet');
    logger.error('loud');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['loud']);
  });
});

describe.each(['text', 'json'] as const)('secrets in the %s form', (format) => {
  const secret = 'p"ä 55/w+rd=&\n-0123';

  test('a registered secret is gone, however it is spelled and wherever it stands', () => {
    const { lines, redactor, logger } = logInto(format, 'debug');
    const forget = redactor.registerSecret(secret);
    logger.debug(`plain ${secret} encoded ${encodeURIComponent(secret)} json ${JSON.stringify({ secret })}`, {
      [`name ${secret}`]: [{ deep: `x${secret}y` }],
      json: JSON.stringify({ secret }),
      form: new URLSearchParams({ secret }).toString(),
      base64: Buffer.from(secret).toString('base64'),
      error: describeError(new Error(secret, { cause: new Error(`https://h/?k=${encodeURIComponent(secret)}`) })),
    });
    logger.child({ secret: `child ${secret}` }).info('x');
    const output = lines.join('');
    expect(output).toContain('[secret]');
    expect(output).not.toMatch(/0123/);
    expect(output).not.toContain(Buffer.from('0123').toString('base64').slice(0, 4));

    forget();
    forget();
    logger.info(`plain ${secret}`);
    expect(lines.at(-1)).toMatch(/0123/);
  });

  test('a secret registered twice is hidden until it is forgotten twice', () => {
    const { lines, redactor, logger } = logInto(format);
    const [first, second] = [redactor.registerSecret('tok-0123'), redactor.registerSecret('tok-0123')];
    first();
    logger.info('tok-0123');
    second();
    logger.info('tok-0123');
    expect(lines.map((line) => line.includes('0123'))).toEqual([false, true]);
  });

  test('headers and shapes of credentials are hidden without being registered', () => {
    const { lines, logger } = logInto(format);
    const token = 'eyJhbGciOi.unregistered.token';
    logger.info(`sent Authorization: Bearer ${token} to https://h/v1?alt=sse&key=${token}`, {
      headers: { Authorization: token, 'x-api-key': token, 'X-Goog-Api-Key': [token], cookie: token, accept: 'kept' },
      fetched: new Headers({ 'set-cookie': token, 'content-type': 'kept too' }),
      nested: { request: { api_key: token } },
      quoted: JSON.stringify({ 'x-api-key': token }),
    });
    const output = lines.join('');
    expect(output).not.toContain('unregistered');
    expect(output).toContain('kept');
    expect(output).toContain('kept too');
  });
});
