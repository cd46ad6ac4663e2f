// Round robin over the servers that are connected, which is grpc-js's own, with an end to waiting where none is.
//
// grpc-js lets calls wait as long as it tries to connect, and it tries without end where a server accepts a connection
// and then says nothing, as a frozen process does. Here a channel that has been without a connection for
// `CONNECT_WAIT_MS` fails its calls, those that wait and those that come, until it has one.
import { connectivityState, experimental } from '@grpc/grpc-js';
import { CONNECT_WAIT_MS } from './bounds.ts';

const NAME = 'stopgo_round_robin';

/** The service configuration of a channel that balances so. It has no retry policy, and none may be added. */
export function balanced(): string {
  if (!experimental.isLoadBalancerNameRegistered(NAME)) {
    experimental.registerLoadBalancerType(NAME, Balancer, BalancerConfig);
  }
  return JSON.stringify({ loadBalancingConfig: [{ [NAME]: {} }] });
}

class BalancerConfig implements experimental.TypedLoadBalancingConfig {
  static createFromJson(): BalancerConfig {
    return new BalancerConfig();
  }

  getLoadBalancerName(): string {
    return NAME;
  }

  toJsonObject(): object {
    return { [NAME]: {} };
  }
}

class Balancer implements experimental.LoadBalancer {
  readonly #helper: experimental.ChannelControlHelper;
  readonly #roundRobin: experimental.LoadBalancer;
  #waiting: NodeJS.Timeout | undefined;
  #gaveUp = false;

  constructor(helper: experimental.ChannelControlHelper) {
    this.#helper = helper;
    this.#roundRobin = new experimental.ChildLoadBalancerHandler(
      experimental.createChildChannelControlHelper(helper, {
        updateState: (state, picker, message) => this.#update(state, picker, message),
      }),
    );
  }

  updateAddressList(
    ...[endpoints, , options, note]: Parameters<experimental.LoadBalancer['updateAddressList']>
  ): boolean {
    const config = experimental.parseLoadBalancingConfig({ round_robin: {} });
    return this.#roundRobin.updateAddressList(endpoints, config, options, note);
  }

  exitIdle(): void {
    this.#roundRobin.exitIdle();
  }

  resetBackoff(): void {
    this.#roundRobin.resetBackoff();
  }

  destroy(): void {
    this.#stopWaiting();
    this.#roundRobin.destroy();
  }

  getTypeName(): string {
    return NAME;
  }

  #update(state: connectivityState, picker: experimental.Picker, message: string | null): void {
    if (state === connectivityState.READY || state === connectivityState.TRANSIENT_FAILURE) {
      this.#stopWaiting();
      this.#gaveUp = false;
    } else {
      if (this.#gaveUp) return;
      this.#waiting ??= setTimeout(() => this.#giveUp(), CONNECT_WAIT_MS).unref();
    }
    this.#helper.updateState(state, picker, message);
  }

  #giveUp(): void {
    this.#waiting = undefined;
    this.#gaveUp = true;
    const details = `nobody has answered within ${CONNECT_WAIT_MS} ms`;
    this.#helper.updateState(
      connectivityState.TRANSIENT_FAILURE,
      new experimental.UnavailablePicker({ details }),
      details,
    );
  }

  #stopWaiting(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }
}
