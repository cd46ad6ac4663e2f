import { randomBytes } from 'node:crypto';
import { formatPeers, Secret } from '@stopgo/rpc';
import { Composed, testImage } from './composed.ts';
import { type Shared, shareFolder } from './shared-folder.ts';
import type { Tool } from './tool.ts';

/** What the containers are given that must not be found anywhere else. */
export type Secrets = {
  readonly tokenOfGateway: string;
  readonly tokenOfOrchestrator: string;
  readonly tokenOfApprovals: string;
  readonly tokenOfBridge: string;
  readonly tokenOfStore: string;
  readonly natsPassword: string;
  readonly modelKey: string;
};

/**
 * The whole of docker-compose.yaml with the offline model. What override.yaml adds: one more tool server, whose journal the
 * tests read, and the controls of the model.
 */
export class Composition extends Composed {
  readonly secrets: Secrets;
  readonly image = testImage;
  readonly shared: Shared;

  /** `replicas` says of which service there is more than one. */
  constructor(tool: Tool, replicas: Readonly<Record<string, number>>, signal: AbortSignal) {
    const shared = shareFolder();
    const random = () => randomBytes(24).toString('hex');
    // Begins like a number on purpose: the configuration of NATS must not read it as one.
    const secrets = {
      ...{ tokenOfGateway: random(), tokenOfOrchestrator: random(), tokenOfApprovals: random() },
      ...{ tokenOfBridge: random(), tokenOfStore: random() },
      ...{ natsPassword: `12e3${random()}`, modelKey: random() },
    };
    const env = {
      ...process.env,
      COMPOSE_PROFILES: undefined,
      STOPGO_CONFIG: shared.configuration,
      STOPGO_TEST_FOLDER: shared.folder,
      STOPGO_BIND: undefined,
      // Any free port, so that several gateways do not want the same.
      STOPGO_PORT: '',
      STOPGO_WEB_PORT: '',
      STOPGO_IMAGE: testImage,
      STOPGO_NATS_IMAGE: 'localhost/stopgo-nats-test:latest',
      ...Object.fromEntries(
        Object.entries(replicas).map(([service, count]) => [
          `STOPGO_SCALE_${service.toUpperCase().replaceAll('-', '_')}`,
          String(count),
        ]),
      ),
      STOPGO_TOKEN_GATEWAY: secrets.tokenOfGateway,
      STOPGO_TOKEN_ORCHESTRATOR: secrets.tokenOfOrchestrator,
      STOPGO_TOKEN_APPROVALS: secrets.tokenOfApprovals,
      STOPGO_TOKEN_MCP_BRIDGE: secrets.tokenOfBridge,
      STOPGO_TOKEN_STORE: secrets.tokenOfStore,
      STOPGO_INTERNAL_PEERS: formatPeers([
        ['gateway', new Secret(secrets.tokenOfGateway)],
        ['orchestrator', new Secret(secrets.tokenOfOrchestrator)],
        ['approvals', new Secret(secrets.tokenOfApprovals)],
        ['mcp-bridge', new Secret(secrets.tokenOfBridge)],
        ['store', new Secret(secrets.tokenOfStore)],
      ]),
      NATS_PASSWORD: secrets.natsPassword,
      GEMINI_API_KEY: secrets.modelKey,
      ANTHROPIC_API_KEY: secrets.modelKey,
      STOPGO_OFFLINE_MODEL: 'http://offline-model:8091',
    };
    super(tool, { files: ['docker-compose.yaml', 'tests/compose/override.yaml'], env }, signal);
    this.shared = shared;
    this.secrets = secrets;
  }

  override async down(): Promise<void> {
    try {
      await super.down();
    } finally {
      this.shared.remove();
    }
  }
}
