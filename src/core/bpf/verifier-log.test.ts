/** Logs as Linux 6.18 wrote them for these programs. */
import { describe, expect, it } from 'vitest';
import { Assembler } from './assembler.js';
import { R0, R1, R2, R3 } from './instruction.js';
import { explainRefusal, readRefusal } from './verifier-log.js';

const SUMMARY = 'processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n';
const BOUNDS =
  '0: R1=ctx() R10=fp0\n0: (61) r2 = *(u32 *)(r1 +0)          ; R1=ctx() R2=pkt(r=0)\n' +
  '1: (79) r3 = *(u64 *)(r2 +12)\ninvalid access to packet, off=12 size=8, R2(id=0,off=12,r=0)\n' +
  `R2 offset is outside of the packet\n${SUMMARY}`;

describe('the log of the verifier', () => {
  const program = new Assembler('p').load(4, R2, R1, 0).label('parse').load(8, R3, R2, 12).move(R0, 2).exit().program();

  it('says where in our program it stopped, and why', () => {
    expect(readRefusal(BOUNDS)).toEqual({ index: 1, reason: 'R2 offset is outside of the packet' });
    expect(explainRefusal(program, BOUNDS)).toBe(
      'R2 offset is outside of the packet, at parse: r3 = *(u64 *)(r2 + 0xc)',
    );
  });

  it('may be about an instruction that it never came to', () => {
    const dead = new Assembler('p').move(R0, 2).exit().label('dead').exit().program();
    const log = `unreachable insn 2\n${SUMMARY}`;
    expect(explainRefusal(dead, log)).toBe('unreachable insn 2, at dead: exit');
  });

  it('may be about no instruction of ours, or say nothing', () => {
    expect(explainRefusal(program, `BPF program is too large\n${SUMMARY}`)).toBe('BPF program is too large');
    expect(explainRefusal(program, 'unreachable insn 99\n')).toBe('unreachable insn 99');
    expect(explainRefusal(program, '')).toBeUndefined();
    expect(explainRefusal(program, '0: (95) exit\n')).toBeUndefined();
  });
});
