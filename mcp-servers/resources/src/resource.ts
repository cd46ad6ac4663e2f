/** One named integer, as it is stored and as it is shown to a client (CONTRACT of `resources_add`). */
export interface Resource {
  /** Unix time of creation in nanoseconds, 19 digits; unique in one database. */
  readonly id: string;
  /** Not unique: two resources may share a name. */
  readonly name: string;
  /** A safe integer, so that JSON carries it without loss. */
  readonly value: number;
  /** RFC 3339, UTC. */
  readonly created_at: string;
  /** RFC 3339, UTC. Equal to `created_at`, because no tool changes a resource. */
  readonly updated_at: string;
}
