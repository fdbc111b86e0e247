/** What a process that runs one workload once tells of it, as a line of JSON. */
export interface SimMeasurement {
  readonly events: number;
  readonly dataPackets: number;
  /** Flows that ended, and all. */
  readonly finished: number;
  readonly flows: number;
  /** Seconds of the whole process: its start, the fabric, the routers' play, the packets. */
  readonly wall: number;
  readonly cpu: number;
  /** Megabytes, resident, at the most. */
  readonly memory: number;
}
