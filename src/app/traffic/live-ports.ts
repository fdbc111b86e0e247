/** The ports of hosts for a traffic job, once their addresses are valid. */
import type { Uplink } from '../../core/rlb/gpu-port.js';
import { type HostPort, livePort } from '../host/host-ports.js';
import { hostAddresses } from '../lab/hosts.js';
import type { Lab } from '../lab/lab.js';
import type { PlannedHost } from '../lab/plan.js';
import { poll } from '../lab/poll.js';

/** Both RoCE versions have entries in the GID tables. */
const GID_VERSIONS = 2;

/** Waits for what duplicate address detection will let through; what is missing then is among the ports' problems. */
export async function livePorts(
  lab: Lab,
  { hosts, uplinks }: { readonly hosts: readonly PlannedHost[]; readonly uplinks: readonly Uplink[] },
  timeout: number,
): Promise<readonly HostPort[]> {
  let ports: readonly HostPort[] = [];
  const look = async () => {
    const addresses = await Promise.all(hosts.map((host) => hostAddresses(lab, host)));
    ports = hosts.map((host, index) => livePort(host, addresses[index]!, uplinks, GID_VERSIONS));
    return addresses.flat().every(({ condition }) => condition !== 'tentative');
  };
  await poll(look, { timeout, interval: 100 });
  return ports;
}
