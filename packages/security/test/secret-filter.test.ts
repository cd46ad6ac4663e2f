import { isSecretName, secretFilter, withoutCredentials } from '@stopgo/security';
import { describe, expect, test } from 'vitest';

const SECRET = 'a+b/c.d$(e)[f]|g\\^{h}*?"=~1';
const filter = secretFilter([SECRET, 'key-12345', 'key-12345-longer', 'short', undefined, '']);

describe('a text without secrets', () => {
  test.each([
    SECRET,
    SECRET.toUpperCase(),
    JSON.stringify(SECRET).slice(1, -1),
    JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/'),
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).toLowerCase(),
    new URLSearchParams({ '': SECRET }).toString().slice(1),
    encodeURI(SECRET.replaceAll('~', '~0').replaceAll('/', '~1')),
    Buffer.from(SECRET).toString('base64'),
    Buffer.from(SECRET).toString('base64url'),
    Buffer.from(SECRET).toString('hex'),
    Buffer.from(SECRET).toString('hex').toUpperCase(),
  ])('does not hold it as %s', (spelling) => {
    expect(filter.hide(`it is ${spelling}!`)).toBe('it is [secret]!');
    expect(filter.holds(spelling)).toBe(true);
  });

  test.each(['i:', 'id:', 'id-:', 'id--:'])('does not hold it within base64, as HTTP Basic sends it after %s', (id) => {
    for (const [alphabet, secret] of [
      ['base64', 'kéy>>>???-12345'],
      ['base64url', 'kéy>>>???-12345'],
    ] as const)
      for (const after of ['', '!', '!!', '!!!']) {
        const sent = Buffer.from(`${id}${secret}${after}`).toString(alphabet);
        const hidden = secretFilter([secret]).hide(`Basic ${sent}`);
        const [head = '', tail = ''] = hidden.slice('Basic '.length).split('[secret]');
        expect(hidden).toContain('[secret]');
        expect(head.length + tail.length).toBeLessThan(Buffer.from(`${id}${after}`).toString('base64').length + 6);
      }
    // Four bytes have too few characters in base64 to be searched for.
    expect(secretFilter(['abcd'], { charactersMin: 4 }).holds(Buffer.from('xabcdx').toString('base64'))).toBe(false);
  });

  test('loses the longest of them first, and nothing else', () => {
    expect(filter.hide('key-12345-longer, key-12345, KEY-12345')).toBe('[secret], [secret], [secret]');
    expect(filter.hide('short key-1234 aab/cxd')).toBe('short key-1234 aab/cxd');
    expect(filter.holds('short key-1234')).toBe(false);
  });

  test('takes other marks and shorter secrets where they are asked for', () => {
    expect(secretFilter(['short'], { charactersMin: 5, mark: '<gone>' }).hide('a short one')).toBe('a <gone> one');
    expect(secretFilter(['1234567', '12345678']).hide('1234567 12345678')).toBe('1234567 [secret]');
  });

  test('stays as it is where no secret is known', () => {
    expect(secretFilter([]).hide('anything')).toBe('anything');
    expect(secretFilter([]).pieces().push('any')).toBe('any');
  });

  test('a secret that is too long for a regular expression is hidden all the same', () => {
    const endless = 'a+b/c.d$'.repeat(5_000);
    expect(secretFilter([endless, 'key-12345']).hide(`${endless} KEY-12345`)).toBe('[secret] [secret]');
  });
});

describe('a text that comes in pieces', () => {
  const other = secretFilter(['abababcd', 'babababy', 'key-12345', 'key-12345-longer', 'İstanbul-1']);
  const texts = [
    'see key-12345 and key-12345-longer, key-12345-long',
    'abababababcd abababy babababcd KEY-1234KEY-12345',
    `x${encodeURIComponent('İstanbul-1')}yİİkey-12345`,
    'nothing of it: keykey-123',
  ];

  test.each(texts)('is the whole text without secrets, wherever it is cut: %s', (text) => {
    const whole = other.hide(text);
    for (let first = 0; first <= text.length; first += 1)
      for (let second = first; second <= text.length; second += 1) {
        const pieces = other.pieces();
        const shown = [text.slice(0, first), text.slice(first, second), text.slice(second)].map((piece) =>
          pieces.push(piece),
        );
        expect(`${shown.join('')}${pieces.end()}`, `${first} ${second}`).toBe(whole);
      }
    const letters = other.pieces();
    const one = [...text].map((letter) => letters.push(letter));
    expect(`${one.join('')}${letters.end()}`).toBe(whole);
  });

  test('keeps back only what may be the beginning of a secret', () => {
    const pieces = other.pieces();
    expect(pieces.push('hello you ')).toBe('hello you ');
    expect(pieces.push('see: key-1')).toBe('see: ');
    expect(pieces.push('2 is none ')).toBe('key-12 is none ');
    expect(pieces.push('key-123')).toBe('');
    expect(pieces.end()).toBe('key-123');
    expect(pieces.end()).toBe('');
  });
});

describe('what looks like a credential', () => {
  test.each([
    ['Authorization: Bearer abc.def', 'Authorization: [secret]'],
    [
      '{"authorization":"Basic abc=","x-goog-api-key":"other","a":1}',
      '{"authorization":"[secret]","x-goog-api-key":"[secret]","a":1}',
    ],
    ['{\\"x-api-key\\":\\"other\\"}', '{\\"x-api-key\\":\\"[secret]\\"}'],
    ['GET /x?key=other&alt=sse', 'GET /x?key=[secret]&alt=sse'],
    ['/x?a=1&access_token=other', '/x?a=1&access_token=[secret]'],
    ['with bearer abcdefgh1234', 'with bearer [secret]'],
    [`AIza${'x'.repeat(35)} sk-ant-api03-abcdefgh gsk_0123456789abcdefXY`, '[secret] [secret] [secret]'],
    // Alone: nothing but the key itself tells what it is.
    [`AIza${'x'.repeat(35)}`, '[secret]'],
    ['sk-ant-api03-abcdefgh', '[secret]'],
    ['sk-0123456789abcdefXY', '[secret]'],
    ['gsk_0123456789abcdefXY', '[secret]'],
    ['a task-force-of-many-words', 'a task-force-of-many-words'],
    ['invalid x-api-key', 'invalid x-api-key'],
  ])('%s', (text, shown) => expect(withoutCredentials(text)).toBe(shown));

  test('a mark is no pattern of a replacement', () => {
    expect(withoutCredentials('bearer abcdefgh', '$1$&')).toBe('bearer $1$&');
  });

  test.each([
    ['Authorization', true],
    ['X-API-Key', true],
    ['access_token', true],
    ['accept', false],
  ])('a field %s is secret: %s', (name, expected) => expect(isSecretName(name)).toBe(expected));
});
