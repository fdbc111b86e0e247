/**
 * A program at the ingress of traffic control as kernels before Linux 6.6 have it: a filter of the queueing discipline clsact (tc-bpf(8)),
 * after those of others. A filter does not go with the process that put it there. After `kill -9` the program stands until the next start,
 * and leaves all packets to the kernel, as it does whenever nobody gives it a sign of life.
 */
import { PROGRAM_NAME } from '../../../core/ebpf-plane/program.js';
import { LITTLE_ENDIAN, PayloadWriter, viewOf } from '../rtnetlink/attributes.js';
import { dumpNow, requestNow } from '../rtnetlink/immediate-request.js';
import { FLAG, MESSAGE, type NetlinkError } from '../rtnetlink/message.js';
import { BpfError } from './system-call.js';

/** struct tcmsg. */
const HEADER = 20;
const TCA = { kind: 1, options: 2 } as const;
const BPF = { descriptor: 6, name: 7, flags: 8 } as const;
const DIRECT_ACTION = 1;
/** TC_H_CLSACT, its handle, and the parents of what comes in and of what goes out. */
const CLSACT = { parent: 0xffff_fff1, handle: 0xffff_0000, ingress: 0xffff_fff2, egress: 0xffff_fff3 } as const;
/** A filter with these is ours. */
const OURS = { priority: 0xb9b9, handle: 0x68646c } as const;
/** ETH_P_ALL in the order of the network. */
const ALL_PROTOCOLS = 0x0300;

interface Place {
  readonly handle: number;
  readonly parent: number;
  readonly info?: number;
}

export class ClsactFilter {
  readonly how = 'clsact';
  readonly #interfaceIndex: number;
  readonly #madeDiscipline: boolean;

  /** Throws BpfError. One of ours that another process left there is replaced. */
  constructor(program: { readonly fileDescriptor: number }, interfaceIndex: number) {
    this.#interfaceIndex = interfaceIndex;
    const discipline = new PayloadWriter(header(interfaceIndex, CLSACT)).data(TCA.kind, zeroEnded('clsact')).finish();
    const refusal = requestNow({
      ...{ type: MESSAGE.newQdisc, flags: FLAG.create | FLAG.exclusive },
      payload: discipline,
    });
    this.#madeDiscipline = refusal === undefined;
    if (refusal && refusal.code !== 'EEXIST') throw refused(refusal, interfaceIndex);
    this.replace(program);
  }

  /** From the next packet on the other program runs; none is lost in between. */
  replace(program: { readonly fileDescriptor: number }): void {
    const payload = new PayloadWriter(header(this.#interfaceIndex, FILTER))
      .data(TCA.kind, zeroEnded('bpf'))
      .nested(TCA.options, (writer) =>
        writer
          .u32(BPF.descriptor, program.fileDescriptor)
          .data(BPF.name, zeroEnded(PROGRAM_NAME))
          .u32(BPF.flags, DIRECT_ACTION),
      )
      .finish();
    const refusal = requestNow({ type: MESSAGE.newFilter, flags: FLAG.create | FLAG.replace, payload });
    if (refusal) throw refused(refusal, this.#interfaceIndex);
  }

  /** The discipline goes with it where it was made for it and nothing else stands there. */
  close(): void {
    removeLeftFilter(this.#interfaceIndex);
    if (!this.#madeDiscipline || hasFilters(this.#interfaceIndex)) return;
    requestNow({ type: MESSAGE.deleteQdisc, flags: 0, payload: header(this.#interfaceIndex, CLSACT) });
  }
}

const FILTER: Place = {
  handle: OURS.handle,
  parent: CLSACT.ingress,
  info: OURS.priority * 0x1_0000 + ALL_PROTOCOLS,
};

/** Takes away what a heddle that was killed may have left at the interface; true when there was one. */
export function removeLeftFilter(interfaceIndex: number): boolean {
  const payload = new PayloadWriter(header(interfaceIndex, FILTER)).data(TCA.kind, zeroEnded('bpf')).finish();
  return requestNow({ type: MESSAGE.deleteFilter, flags: 0, payload }) === undefined;
}

function hasFilters(interfaceIndex: number): boolean {
  return [CLSACT.ingress, CLSACT.egress].some((parent) => {
    const payload = header(interfaceIndex, { handle: 0, parent });
    return dumpNow({ type: MESSAGE.getFilter, payload }).length > 0;
  });
}

function header(interfaceIndex: number, { handle, parent, info = 0 }: Place): Uint8Array {
  const octets = new Uint8Array(HEADER);
  const view = viewOf(octets);
  view.setInt32(4, interfaceIndex, LITTLE_ENDIAN);
  view.setUint32(8, handle, LITTLE_ENDIAN);
  view.setUint32(12, parent, LITTLE_ENDIAN);
  view.setUint32(16, info, LITTLE_ENDIAN);
  return octets;
}

const zeroEnded = (text: string): Uint8Array => new TextEncoder().encode(`${text}\0`);

function refused({ code, message }: NetlinkError, interfaceIndex: number): BpfError {
  const detail = message === code ? '' : ` (${message})`;
  return new BpfError(code, `a program cannot be attached to interface ${interfaceIndex} (clsact)${detail}`);
}
