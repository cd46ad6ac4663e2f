/** Version of the platform, as it names itself to people and to tool servers. */
export const version = '0.1.0';
