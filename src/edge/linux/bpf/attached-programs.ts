/** Programs at the ingress of an interface's traffic control (BPF_PROG_QUERY, Linux 6.6), where several may stand in a row. */
import { Attributes, COMMAND, Descriptor, tryBpf } from './system-call.js';

/** BPF_TCX_INGRESS. */
const TCX_INGRESS = 46;
/** struct bpf_prog_info up to the end of its name. */
const INFO_OCTETS = 80;
const NAME = { offset: 64, octets: 16 } as const;
/** There are no more at one place (BPF_MPROG_MAX). */
const MOST = 64;

/** Names, of up to 15 octets, as far as this process may know them. */
export function programsAtIngress(interfaceIndex: number): readonly string[] {
  const query = new Attributes().number32(0, interfaceIndex).number32(4, TCX_INGRESS).number32(24, MOST);
  const ids = query.pointer(16, new Uint8Array(MOST * 4));
  if (typeof tryBpf(COMMAND.query, query) === 'string') return [];
  const view = new DataView(ids.buffer);
  return Array.from({ length: query.read32(24) }, (_, place) => nameOf(view.getUint32(place * 4, true)) ?? '');
}

function nameOf(id: number): string | undefined {
  const result = tryBpf(COMMAND.programById, new Attributes().number32(0, id));
  if (typeof result === 'string') return undefined;
  const program = new Descriptor(result);
  try {
    const attributes = new Attributes().number32(0, program.number).number32(4, INFO_OCTETS);
    const info = attributes.pointer(8, new Uint8Array(INFO_OCTETS));
    if (typeof tryBpf(COMMAND.objectInfo, attributes) === 'string') return undefined;
    const name = info.subarray(NAME.offset, NAME.offset + NAME.octets);
    return new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
  } finally {
    program.close();
  }
}
