import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** One call of pytest. */
export type KitRun = { readonly title: string; readonly transport: string; readonly args: readonly string[] };

/** The version that a checkout of the kit is for. @throws Error in one line if it is none of the kit. */
export function versionOf(kit: string): '1.0' | '0.3' {
  if (existsSync(join(kit, 'tests/compatibility'))) return '1.0';
  if (existsSync(join(kit, 'tests/mandatory'))) return '0.3';
  throw new Error(
    `${kit} holds no checkout of the kit: a branch for version 1.0 or 0.3 of github.com/a2aproject/a2a-tck`,
  );
}

const TRANSPORTS = ['jsonrpc', 'rest', 'grpc'];

/**
 * How the kit is run against an agent: every category over every transport. What compares transports runs once, over all of them.
 *
 * @throws Error in one line if the kit has no tests of what the agent is.
 */
export function runsOf(version: '1.0' | '0.3', address: string, requiredExtension: boolean): readonly KitRun[] {
  if (version === '1.0') {
    // The card without the fields of 0.3 is below a path of its own.
    const args = ['tests/compatibility', '--sut-host', `${address}/v1.0`];
    // The kit names the extension nowhere else, so that by its own rule all else is refused.
    if (requiredExtension) {
      return [
        { title: 'the required extension', transport: 'all', args: [...args, '-k', 'missing_required_extension'] },
      ];
    }
    return [{ title: 'all requirements', transport: 'all', args }];
  }
  if (requiredExtension) throw new Error('the kit of 0.3 has no tests of a required extension');
  const run = (title: string, transport: string, path: string, markers?: string): KitRun => ({
    title,
    transport,
    args: [
      path,
      `--sut-url=${address}/a2a/v1`,
      '--test-scope=all',
      '--transports',
      transport,
      ...(markers === undefined ? [] : ['-m', markers]),
    ],
  });
  return [
    ...TRANSPORTS.map((transport) =>
      transport === 'jsonrpc'
        ? run('mandatory', transport, 'tests/mandatory/', 'mandatory_jsonrpc or mandatory_protocol')
        : run('mandatory', transport, 'tests/mandatory/protocol/', 'mandatory_protocol'),
    ),
    ...TRANSPORTS.map((transport) => run('capabilities', transport, 'tests/optional/capabilities/')),
    run('equivalence', TRANSPORTS.join(','), 'tests/optional/multi_transport/', 'transport_equivalence'),
    ...TRANSPORTS.map((transport) => run('quality', transport, 'tests/optional/quality/')),
    ...TRANSPORTS.map((transport) => run('features', transport, 'tests/optional/features/')),
  ];
}
