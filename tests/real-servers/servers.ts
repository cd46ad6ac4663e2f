/** A tool server of the npm registry, as an agent's file would name it. */
export type RealServer = {
  readonly name: string;
  /** With its version: what is tried is what the table says. */
  readonly package: string;
  readonly args?: readonly string[];
  /** What it wants to be there before it starts. None of it is a key: they open nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** A program of the package, where the package has several. */
  readonly program?: string;
  /** A tool that can do no harm and needs no network, with its arguments; absent: every tool of it needs an account or a network. */
  readonly call?: { readonly tool: string; readonly args: object; readonly says: RegExp };
};

const noKey = 'not-a-key-0123456789';

/**
 * The servers that are tried, the official ones first. `{work}` is a folder that is empty at first, below which they may write.
 */
export const realServers: readonly RealServer[] = [
  {
    name: 'filesystem',
    package: '@modelcontextprotocol/server-filesystem@2026.8.31',
    args: ['{work}'],
    call: { tool: 'list_allowed_directories', args: {}, says: /Allowed directories/ },
  },
  {
    name: 'everything',
    package: '@modelcontextprotocol/server-everything@2026.8.31',
    call: { tool: 'echo', args: { message: 'hello' }, says: /Echo: hello/ },
  },
  {
    name: 'memory',
    package: '@modelcontextprotocol/server-memory@2026.8.31',
    env: { MEMORY_FILE_PATH: '{work}/memory.jsonl' },
    call: { tool: 'read_graph', args: {}, says: /entities/ },
  },
  {
    name: 'sequential-thinking',
    package: '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    call: {
      tool: 'sequentialthinking',
      args: { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      says: /thoughtNumber/,
    },
  },
  {
    name: 'playwright',
    package: '@playwright/mcp@0.0.83',
    args: ['--headless', '--isolated', '--output-dir', '{work}'],
  },
  {
    name: 'github',
    package: '@modelcontextprotocol/server-github@2025.4.8',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: noKey },
  },
  {
    name: 'gitlab',
    package: '@modelcontextprotocol/server-gitlab@2025.4.25',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: noKey },
  },
  {
    name: 'slack',
    package: '@modelcontextprotocol/server-slack@2025.4.25',
    env: { SLACK_BOT_TOKEN: noKey, SLACK_TEAM_ID: 'T00000000' },
  },
  { name: 'brave-search', package: '@modelcontextprotocol/server-brave-search@0.6.2', env: { BRAVE_API_KEY: noKey } },
  {
    name: 'google-maps',
    package: '@modelcontextprotocol/server-google-maps@0.6.2',
    env: { GOOGLE_MAPS_API_KEY: noKey },
  },
  {
    name: 'postgres',
    package: '@modelcontextprotocol/server-postgres@0.6.2',
    args: ['postgresql://127.0.0.1:9/none'],
  },
  {
    name: 'puppeteer',
    package: '@modelcontextprotocol/server-puppeteer@2025.5.12',
    env: { PUPPETEER_SKIP_DOWNLOAD: 'true' },
  },
  { name: 'context7', package: '@upstash/context7-mcp@4.1.1' },
  { name: 'notion', package: '@notionhq/notion-mcp-server@2.5.2', env: { NOTION_TOKEN: noKey } },
  {
    name: 'supabase',
    package: '@supabase/mcp-server-supabase@0.13.0',
    args: ['--access-token', `sbp_${'0'.repeat(40)}`],
  },
  { name: 'stripe', package: '@stripe/mcp@0.3.3', args: ['--api-key=sk_test_0123456789'] },
  { name: 'firecrawl', package: 'firecrawl-mcp@3.26.0', env: { FIRECRAWL_API_KEY: noKey } },
  { name: 'tavily', package: 'tavily-mcp@0.2.22', env: { TAVILY_API_KEY: noKey } },
  { name: 'exa', package: 'exa-mcp-server@3.4.1', env: { EXA_API_KEY: noKey } },
  {
    name: 'desktop-commander',
    package: '@wonderwhy-er/desktop-commander@0.2.52',
    env: { HOME: '{work}' },
    call: { tool: 'get_config', args: {}, says: /blockedCommands/ },
  },
  { name: 'chrome-devtools', package: 'chrome-devtools-mcp@1.11.0', args: ['--headless', '--isolated'] },
  {
    name: 'git',
    package: '@cyanheads/git-mcp-server@2.15.3',
    env: { MCP_TRANSPORT_TYPE: 'stdio', MCP_LOG_LEVEL: 'error', LOGS_DIR: '{work}' },
  },
  { name: 'kubernetes', package: 'mcp-server-kubernetes@4.1.7' },
  { name: 'sentry', package: '@sentry/mcp-server@0.39.0', args: ['--access-token', noKey] },
  { name: 'mastra-docs', package: '@mastra/mcp-docs-server@1.2.27' },
  { name: 'mongodb', package: 'mongodb-mcp-server@3.0.4', env: { MDB_MCP_TELEMETRY: 'disabled' } },
  {
    name: 'elasticsearch',
    package: '@elastic/mcp-server-elasticsearch@0.3.1',
    env: { ES_URL: 'http://127.0.0.1:9', ES_API_KEY: noKey },
  },
  { name: 'figma', package: 'figma-developer-mcp@0.13.2', args: ['--stdio', '--figma-api-key', noKey] },
  { name: 'apify', package: '@apify/actors-mcp-server@0.16.0', env: { APIFY_TOKEN: noKey } },
  {
    name: 'eslint',
    package: '@eslint/mcp@0.3.13',
  },
  {
    name: 'commands',
    package: 'mcp-server-commands@0.5.0',
    call: { tool: 'run_command', args: { command: 'echo hello' }, says: /hello/ },
  },
  { name: 'hubspot', package: '@hubspot/mcp-server@0.4.0', env: { PRIVATE_APP_ACCESS_TOKEN: noKey } },
];

/** Those that an agent of the first hour has all at once, started from a cache that is empty. */
export const firstHour: readonly string[] = ['filesystem', 'everything', 'memory', 'playwright', 'github'];
