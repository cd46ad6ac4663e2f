/** Name of the environment variable with the password, so that no file holds it. */
export const passwordVariable = 'STOPGO_NATS_PASSWORD';

/** The user that the store is known as. */
export const natsUser = 'stopgo';

export type NatsServerOptions = {
  /** Where the event log is kept. */
  readonly folder: string;
  /** On loopback, both. */
  readonly port: number;
  readonly monitorPort: number;
};

/** Configuration of a nats-server of our own: on this machine only, and what it acknowledges is on the disk. */
export function natsServerConfig({ folder, port, monitorPort }: NatsServerOptions): string {
  return `# Written at each start of "stopgo services".
server_name: stopgo
listen: 127.0.0.1:${port}
# Shows the store that sync_interval is what it must be. It shows no password.
http: 127.0.0.1:${monitorPort}
authorization { user: ${natsUser}, password: $${passwordVariable} }
# An append is one message of at most 512 KiB and its frame.
max_payload: 1MB
jetstream {
  store_dir: ${JSON.stringify(folder)}
  # On the disk before it is acknowledged.
  sync_interval: always
  # Heartbeats are all that lives in memory.
  max_memory_store: 64MB
}
`;
}
