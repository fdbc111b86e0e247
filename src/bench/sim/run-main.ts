/** A process that runs one workload of `npm run bench:sim` once, and prints what it took: `run-main.js NAME`. */
import { fileURLToPath } from 'node:url';
import { readStudy } from '../../app/sim/read-study.js';
import { runStudy } from '../../app/sim/run-study.js';
import type { Study } from '../../app/sim/study.js';
import type { ChosenScheme } from '../../app/sim/study-schemes.js';
import { settingsOf } from '../../app/sim/study-settings.js';
import { workloadOf } from '../../app/sim/study-workload.js';
import { FabricSimulation } from '../../simulator/network/fabric-simulation.js';
import { shortestPaths } from '../../simulator/network/shortest-paths.js';
import type { SimMeasurement } from './run-protocol.js';
import { WORKLOADS } from './workloads.js';

const MICRO = 1e6;
const MEGA = 1e6;
const KIBI = 1024;
const SEED = 1;
const STUDIES = new URL('../../../studies/', import.meta.url);

type Work = Pick<SimMeasurement, 'events' | 'dataPackets' | 'finished' | 'flows'>;

async function main(name: string | undefined): Promise<void> {
  const workload = WORKLOADS.find((one) => one.name === name);
  if (!workload) throw new Error(`no workload ${name}`);
  const study = readStudy(fileURLToPath(new URL(`${workload.study}.yaml`, STUDIES)));
  const scheme = study.schemes.find(({ label }) => label === workload.scheme)!;
  const work = workload.tables === 'routers' ? await whole(study, scheme) : packetsAlone(study, scheme);
  const { user, system } = process.cpuUsage();
  const measurement: SimMeasurement = {
    ...work,
    // From the start of the process.
    wall: performance.now() / 1000,
    cpu: (user + system) / MICRO,
    memory: (process.resourceUsage().maxRSS * KIBI) / MEGA,
  };
  console.log(JSON.stringify(measurement));
}

/** As `heddle sim compare` runs it. */
async function whole(study: Study, scheme: ChosenScheme): Promise<Work> {
  const { result } = await runStudy(study, scheme, SEED);
  const { flows, packets, events } = result;
  return { events, dataPackets: packets.data, finished: flows.finished, flows: flows.count };
}

function packetsAlone(study: Study, scheme: ChosenScheme): Work {
  const simulation = new FabricSimulation({
    seed: SEED,
    ...settingsOf(study.topology, study.profile),
    forwarding: shortestPaths,
    scheme: (context) => scheme.definition.create(context, scheme.options),
  });
  const load = workloadOf(study, SEED, simulation, 1);
  simulation.run(load.workload, study.file.limit);
  return {
    events: simulation.handled,
    dataPackets: simulation.hosts.dataPackets,
    finished: load.finished(),
    flows: load.messages,
  };
}

await main(process.argv[2]);
