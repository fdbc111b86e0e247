/** Which uplink the kernel of a leaf has for each flow now: its own lookup, with the addresses and ports that its hash takes. */
import { LabError, tryRun } from './command.js';
import { findHost } from './hosts.js';
import { findRouter, type Lab, namespaceOf } from './lab.js';
import type { ProbeFlow } from './probe-protocol.js';

interface RouteJson {
  readonly dev: string;
}

/** By source port; `flow` comes from that host. Throws LabError when there is no route. */
export async function placementOf(
  lab: Lab,
  host: string,
  { flow, sourcePorts }: { readonly flow: ProbeFlow; readonly sourcePorts: readonly number[] },
): Promise<ReadonlyMap<number, string>> {
  const { leaf } = findHost(lab, host);
  const entry = findRouter(lab, leaf).hosts.find((port) => port.host === host)!.interface;
  const packet = `${flow.destination} from ${flow.source} iif ${entry} ipproto udp dport ${flow.port}`;
  const { status, stdout, stderr } = await tryRun('ip', ['-n', namespaceOf(lab, leaf), '-6', '-j', '-batch', '-'], {
    input: sourcePorts.map((sourcePort) => `route get ${packet} sport ${sourcePort}\n`).join(''),
  });
  if (status !== 0) throw new LabError(`${leaf}: ip route get ${packet}: ${stderr.trim()}`);
  const answers = stdout.split('\n').filter((line) => line.startsWith('['));
  return new Map(
    answers.flatMap((line, place): [number, string][] => {
      const [route]: readonly RouteJson[] = JSON.parse(line);
      return route ? [[sourcePorts[place]!, route.dev]] : [];
    }),
  );
}
