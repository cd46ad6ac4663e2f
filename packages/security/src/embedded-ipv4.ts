/**
 * The IPv4 address that a valid IPv6 address (without a zone) stands for, however it is spelled: mapped (`::ffff:0:0/96`) and
 * compatible (`::/96`, RFC 4291), translated (NAT64: `64:ff9b::/96`, RFC 6052, and `64:ff9b:1::/48` as a /96, RFC 8215),
 * translated on the way (`::ffff:0:0:0/96`, RFC 2765), 6to4 (`2002::/16`, RFC 3056) and Teredo (`2001::/32`, RFC 4380: the
 * client, whose address is inverted). Undefined for all others.
 */
export function embeddedIpv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [first, second, third = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const startsWith = (...prefix: readonly number[]) => prefix.every((group, index) => groups[index] === group);
  if (
    startsWith(0, 0, 0, 0, 0, 0xffff) ||
    startsWith(0, 0, 0, 0, 0xffff, 0) ||
    startsWith(0, 0, 0, 0, 0, 0) ||
    startsWith(0x64, 0xff9b, 0, 0, 0, 0) ||
    startsWith(0x64, 0xff9b, 1)
  )
    return ipv4Of(high, low);
  if (first === 0x2002) return ipv4Of(second ?? 0, third);
  return startsWith(0x2001, 0) ? ipv4Of(high ^ 0xffff, low ^ 0xffff) : undefined;
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [, before = address, ...bytes] = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(address) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  const whole = bytes.length === 0 ? address : `${before}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const [left = '', right] = whole.split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const head = numbers(left);
  if (right === undefined) return head;
  const tail = numbers(right);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
