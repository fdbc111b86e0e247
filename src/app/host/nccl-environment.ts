/**
 * A plan as the environment of the process on each host. Pure. NCCL's own transport takes one GID index for all queue pairs
 * (NCCL_IB_GID_INDEX), so the index of each one is for a plug-in that binds queue pairs one by one, under names of ours.
 */
import type { HostPlan, PlannedConnection } from './host-plan.js';

/** Lines of a shell: assignments, and comments before them. Host by host, those that send. */
export function ncclEnvironment({ connections }: HostPlan): string[] {
  const hosts = [...new Set(connections.map(({ source }) => source))];
  return hosts.flatMap((host, index) => [
    ...(index > 0 ? [''] : []),
    ...hostEnvironment(
      host,
      connections.filter(({ source }) => source === host),
    ),
  ]);
}

function hostEnvironment(host: string, connections: readonly PlannedConnection[]): string[] {
  const most = connections.reduce((best, next) => (next.queuePairs.length > best.queuePairs.length ? next : best));
  const { queuePairs } = most;
  if (queuePairs.length === 0) return [`# ${host}: no queue pair has an address at both ends`];
  const listed = (values: readonly (string | number)[]) => values.join(',');
  return [
    `# ${host}: NCCL's own variables`,
    `NCCL_IB_QPS_PER_CONNECTION=${queuePairs.length}`,
    'NCCL_IB_SPLIT_DATA_ON_QPS=1',
    'NCCL_IB_ROCE_VERSION_NUM=2',
    'NCCL_IB_ADDR_FAMILY=AF_INET6',
    '# the one index of a transport that knows no other; every queue pair would take its uplink',
    `NCCL_IB_GID_INDEX=${queuePairs[0]!.gidIndex}`,
    `# ${host}: heddle's variables, for a plug-in that binds each queue pair; a value for each, in order`,
    `HEDDLE_QP_GID_INDEX=${listed(queuePairs.map(({ gidIndex }) => gidIndex))}`,
    `HEDDLE_QP_SOURCE=${listed(queuePairs.map(({ source }) => source))}`,
    `HEDDLE_QP_UPLINK=${listed(queuePairs.map(({ uplinkName }) => uplinkName))}`,
    ...connections.flatMap(({ destination, queuePairs: pairs }) => [
      `HEDDLE_QP_DESTINATION_${variableName(destination)}=${listed(pairs.map((pair) => pair.destination))}`,
    ]),
  ];
}

function variableName(host: string): string {
  return host.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}
