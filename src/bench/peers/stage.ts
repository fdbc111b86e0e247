/** Two network namespaces and a link with as many addresses as there may be sessions. */
import { tearDown } from '../../app/lab/build.js';
import { type Lab, namespaceOf } from '../../app/lab/lab.js';
import { ipBatch, setSwitches } from '../../app/lab/namespaces.js';
import { ROUTER_SWITCHES } from '../../app/lab/switches.js';
import { buildBenchLab } from '../common/bench-lab.js';
import { GENERATOR, LINK, MOST_SESSIONS, ROUTER, routerAddress, sessionEnd } from './plan.js';

export class Stage {
  private constructor(readonly lab: Lab) {}

  get generator(): string {
    return namespaceOf(this.lab, GENERATOR);
  }

  get router(): string {
    return namespaceOf(this.lab, ROUTER);
  }

  /** Takes down what an interrupted run of that name has left, and builds. Throws LabError when that cannot be. */
  static async build(name: string): Promise<Stage> {
    const topology = 'spines: 1\nleaves: 1\nhosts-per-leaf: 0\nimplementations: { leaf1: frr }\n';
    const connect = (lab: Lab) => new Stage(lab).connect();
    return new Stage(await buildBenchLab({ name, source: 'the benchmark of speakers', topology, connect }));
  }

  async tearDown(): Promise<void> {
    await tearDown(this.lab);
  }

  /** Links between router and generator by these names, down at both ends. */
  async addLinks(names: readonly string[]): Promise<void> {
    const { router, generator } = this;
    await ipBatch(
      names.map((name) => `link add ${name} netns ${router} type veth peer name ${name} netns ${generator}`),
    );
  }

  async raiseLinks(names: readonly string[]): Promise<void> {
    const up = names.map((name) => `link set ${name} up`);
    await Promise.all([this.generator, this.router].map((namespace) => ipBatch(up, namespace)));
  }

  async removeLinks(names: readonly string[]): Promise<void> {
    await ipBatch(
      names.map((name) => `link del ${name}`),
      this.router,
    );
  }

  private async connect(): Promise<void> {
    const { router, generator } = this;
    await ipBatch([router, generator].map((name) => `netns add ${name}`));
    await Promise.all([router, generator].map((name) => setSwitches(name, ROUTER_SWITCHES)));
    // The far ends of links are ready at once: it is the router's time that counts.
    await setSwitches(generator, { 'ipv6/conf/default/accept_dad': 0 });
    await ipBatch([`link add ${LINK} netns ${router} type veth peer name ${LINK} netns ${generator}`]);
    await this.raise(router, [routerAddress('ipv6'), routerAddress('ipv4')]);
    const numbers = Array.from({ length: MOST_SESSIONS }, (_, index) => index + 1);
    const addresses = numbers.flatMap((number) => [sessionEnd('ipv6', number), sessionEnd('ipv4', number)]);
    await this.raise(
      generator,
      addresses.map(({ address }) => address),
    );
  }

  private raise(namespace: string, addresses: readonly string[]): Promise<void> {
    const additions = addresses.map((address) =>
      address.includes(':') ? `addr add ${address}/64 dev ${LINK} nodad` : `addr add ${address}/24 dev ${LINK}`,
    );
    return ipBatch([...additions, 'link set lo up', `link set ${LINK} up`], namespace);
  }
}
