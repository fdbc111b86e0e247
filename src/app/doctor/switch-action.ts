/** What to do about a kernel switch that stands wrong and will not be set. */

export function switchAction(name: string, value: number): string {
  return `sysctl -w ${name}=${value}, or sysctl: set in the configuration; in a container whose /proc/sys is read-only, --sysctl ${name}=${value} at its start`;
}
